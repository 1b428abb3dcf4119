"""Every address that is answered."""

from django.urls import include, path

from trustmem.intake.rest.api import routes

urlpatterns = [
    path("api/v1/", routes),
    path("", include("trustmem.desk.urls")),
]

handler400 = "trustmem.desk.views.errors.not_understood"
handler403 = "trustmem.desk.views.errors.not_allowed"
handler404 = "trustmem.desk.views.errors.not_found"
handler500 = "trustmem.desk.views.errors.failed"
