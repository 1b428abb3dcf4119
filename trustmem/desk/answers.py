"""Answers that are no pages: figures, and tables for machines."""

import csv
from collections.abc import Iterable
from io import StringIO

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from trustmem.formats.csv_cells import guarded


def figure(json: str) -> HttpResponse:
    """A figure for static/js/charts.js."""
    return HttpResponse(json, content_type="application/json")


def table(name: str, rows: Iterable[Iterable[object]]) -> HttpResponse:
    """Rows as CSV in UTF-8, whose first bytes say so."""
    text = StringIO("\ufeff")
    text.seek(0, 2)
    writer = csv.writer(text)
    for row in rows:
        writer.writerow([guarded(each) if isinstance(each, str) else each for each in row])
    answer = HttpResponse(text.getvalue().encode(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = content_disposition_header(True, f"{name}.csv")
    return answer
