"""What people fill in."""

from datetime import time
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from trustmem.actions.tokens import SCOPES
from trustmem.desk import rhythms
from trustmem.desk.words import roles
from trustmem.store.models import Role

#: A reason is a sentence or two; what is much longer was pasted by mistake.
LONGEST_REASON = 2000
LONGEST_TEXT = 100_000


class _Text(forms.CharField):
    """Lines of text. A browser ends each with two characters, of which one is meant."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class _Time(forms.TimeField):
    """A time of day; whether it may be left out is for the form to say."""

    def validate(self, value: Any) -> None:
        """Any time is one, and so is none."""


def _of_trial() -> forms.NumberInput:
    """A number that is sent with the trial constants, wherever it stands."""
    return forms.NumberInput(attrs={"form": "trial", "step": "any", "autocomplete": "off"})


class ReasonForm(forms.Form):
    """Why somebody decides as they do; it is kept with the act."""

    reason = _Text(label=_("Why"), required=False, max_length=LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 2}))


class AdoptForm(ReasonForm):
    """Why other constants come into force, which one has to say."""

    reason = _Text(
        label=_("Why"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Say why, for those who read the constants later.")},
    )


class CorrectForm(ReasonForm):
    """What holds instead of a claim."""

    text = _Text(label=_("What holds instead"), max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 3}))
    field_order = ("text", "reason")


class CloseForm(ReasonForm):
    """What a case came to."""

    verdict = forms.CharField(label=_("Verdict"), max_length=200, help_text=_("In a few words: what it came to."))
    field_order = ("verdict", "reason")


class EraseForm(ReasonForm):
    """That somebody means it, said twice."""

    word = forms.CharField(label=_("Type “erase”, since nothing brings it back"), max_length=60)

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.fields["reason"].required = True
        self.fields["reason"].help_text = _("It stays on record, so it must not repeat the text.")
        self.fields["word"].widget.attrs["autocomplete"] = "off"

    def clean_word(self) -> str:
        word = str(self.cleaned_data["word"]).strip().casefold()
        if word != gettext("erase").casefold():
            raise forms.ValidationError(_("Type the word “erase”, or leave the page: nothing was erased."))
        return word


class VerdictForm(forms.Form):
    """The words that a verdict takes, and why. A reason is one line, so that Enter sends it."""

    distinction = forms.CharField(
        label=_("How both hold"),
        max_length=LONGEST_REASON,
        help_text=_("At which time, in which scope, or for whom: it is noted on both."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    text = _Text(label=_("What holds instead"), max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 3}))
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, verdict: str, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        for name, of in (("distinction", "both hold"), ("text", "write the right one")):
            if verdict != of:
                del self.fields[name]


def _moment(label: Any, help_text: Any = "", *, required: bool = False) -> forms.DateTimeField:
    """A field for a moment, in UTC. A browser shows it as it writes times where it is."""
    return forms.DateTimeField(
        label=label,
        required=required,
        help_text=help_text,
        input_formats=["%Y-%m-%dT%H:%M"],
        widget=forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"}),
        error_messages={"invalid": _("A moment is written as 2026-06-01T09:00.")},
    )


class SnoozeForm(forms.Form):
    """Until when a case is put aside."""

    until = _moment(_("Until (UTC)"), required=True)


class SavedViewForm(forms.Form):
    """What somebody calls a view that they keep."""

    title = forms.CharField(label=_("Title"), max_length=100, widget=forms.TextInput(attrs={"autocomplete": "off"}))


class BatchForm(ReasonForm):
    """That all of what was shown is done: up to which line that had come, and how much it was."""

    seen = forms.IntegerField(min_value=0, max_value=10**18 - 1)
    shown = forms.IntegerField(min_value=0, max_value=10**18 - 1)


class SeenForm(ReasonForm):
    """That something is done as it was shown: up to which line that had come."""

    seen = forms.IntegerField(min_value=0, max_value=10**18 - 1, widget=forms.HiddenInput)


class DecideAllForm(BatchForm):
    """A verdict on many cases."""

    verdict = forms.CharField(max_length=60, error_messages={"required": _("Choose a verdict.")})


class AgesForm(forms.Form):
    """How fresh a fact is to be that was seen once, so many days ago: two such pairs. They stand among the fields of
    the trial."""

    f_hi = forms.FloatField(label=_("Freshness"), initial=0.8, min_value=0, max_value=1, widget=_of_trial())
    age_hi = forms.FloatField(label=_("Days"), initial=7, min_value=0, widget=_of_trial())
    f_lo = forms.FloatField(label=_("Freshness"), initial=0.25, min_value=0, max_value=1, widget=_of_trial())
    age_lo = forms.FloatField(label=_("Days"), initial=90, min_value=0, widget=_of_trial())


class SampleForm(forms.Form):
    """How many facts are drawn at random."""

    size = forms.TypedChoiceField(
        label=_("How many facts"), choices=[(each, str(each)) for each in (20, 50, 100)], coerce=int, initial=20
    )


class SpaceForm(forms.Form):
    """A new, empty space."""

    name = forms.CharField(label=_("Name"), max_length=200)


class MemberForm(forms.Form):
    """Somebody who is to see a space."""

    username = forms.CharField(label=_("User name"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=roles, initial=Role.REVIEWER)


class KeyForm(forms.Form):
    """A key, and the proof of whoever has it."""

    name = forms.CharField(label=_("Name"), max_length=200, help_text=_("How the key is called from now on."))
    source = forms.CharField(label=_("Source"), max_length=200, help_text=_("Who signs with it."))
    public = forms.CharField(label=_("Public key"), max_length=100, help_text=_("32 bytes in base64."))
    proof = forms.CharField(label=_("Proof"), max_length=200, help_text=_("Made with this key, for this space."))
    valid_from = _moment(_("Valid from (UTC)"), _("Left empty: from now on."))
    valid_to = _moment(_("Valid to (UTC)"), _("Left empty: for good."))


class TokenForm(forms.Form):
    """Who comes in by a token, and what they may do."""

    source = forms.CharField(
        label=_("Source"), max_length=200, help_text=_("Who speaks by it: all that the agent says comes from there.")
    )
    title = forms.CharField(label=_("Title"), max_length=200, required=False, help_text=_("What people call it."))
    scopes = forms.MultipleChoiceField(
        choices=[(each, each) for each in SCOPES],
        initial=[each for each in SCOPES if each != "import"],
        error_messages={"required": _("Tick at least one.")},
    )
    valid_to = _moment(_("Valid to (UTC)"), _("Left empty: until it is revoked."))


class ShareForm(forms.Form):
    """How much of what agents find may come from sources that nobody has reviewed, in percent."""

    share = forms.IntegerField(
        label=_("From sources that nobody has reviewed, at most (%)"),
        min_value=0,
        max_value=100,
        widget=forms.NumberInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )


class UploadForm(forms.Form):
    """A memory file, and who says what it holds where it does not say so itself."""

    file = forms.FileField(label=_("A memory file"))
    source = forms.CharField(
        label=_("Source"),
        max_length=200,
        initial="unknown",
        help_text=_("Who says what the file holds, where it does not say so itself (MCP memory files)."),
    )


class ScheduleForm(forms.Form):
    """How often something is due, in hours (0: never), and at which time of the day."""

    use_required_attribute = False
    every = forms.TypedChoiceField(label=_("How often"), choices=rhythms.choices, coerce=int)
    # In words of HTML this is a text: browsers show a time as it is where they are, and this one is of UTC.
    at = _Time(
        label=_("At (UTC, HH:MM)"),
        input_formats=["%H:%M"],
        widget=forms.TimeInput(format="%H:%M", attrs={"maxlength": 5, "autocomplete": "off"}),
        error_messages=dict.fromkeys(("invalid", "required"), _("A time of day is written as HH:MM, such as 03:00.")),
    )

    def clean_at(self) -> time | None:
        """What never comes needs no time. The time stands after how often it is."""
        at: time | None = self.cleaned_data["at"]
        if at is None and self.cleaned_data.get("every"):
            raise forms.ValidationError(self.fields["at"].error_messages["required"], "required")
        return at


def focus_first_error(form: forms.Form) -> None:
    """Have whoever gets a form back begin where it is wrong."""
    form.fields[next(iter(form.errors))].widget.attrs["autofocus"] = True


def first_error(form: forms.Form) -> str:
    """What is wrong with a form, in one sentence."""
    errors: list[Any] = [error for found in form.errors.values() for error in found]
    return str(errors[0]) if errors else ""
