"""Coming in, by a link that works once or with a password; and one's own account."""

from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from trustmem.actions import access
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, last_space
from trustmem.desk.presenters.members import Right, rights
from trustmem.store.models import Membership, User

#: In a session: its owner came in by a link, and has set no password since.
_BY_LINK = "by link"


class SignIn(LoginView):
    """With a name and a password; whoever is in already goes on to the desk."""

    template_name = "account/sign_in.html"
    redirect_authenticated_user = True


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign-in")


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, uid: str, token: str) -> HttpResponse:
    """A link that works once. Looking at it uses nothing up: programs that check links do that too."""
    if request.method != "POST":
        user = access.invited(uid, token)
        return render(request, "account/enter.html", {"invited": user}, status=200 if user else 410)
    user = access.use(uid, token, now=clock.now())
    if user is None:
        return render(request, "account/enter.html", {"invited": None}, status=410)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    if user.is_superuser:  # who comes in again by starting the desk
        return redirect("welcome")
    request.session[_BY_LINK] = True
    if user.has_usable_password():
        notices.done(
            request, gettext("You came in by a link. If you have forgotten your password, set a new one here.")
        )
    else:
        notices.done(request, gettext("Set a password, so that you can come in again."))
    return redirect("account")


@require_http_methods(["GET", "HEAD", "POST"])
def show(request: DeskRequest) -> HttpResponse:
    """One's account: a password, with which one comes in again where there is no link."""
    form = _password_form(request)
    if request.method == "POST" and form.is_valid():
        form.save()
        update_session_auth_hash(request, request.user)
        request.session.pop(_BY_LINK, None)
        notices.done(request, gettext("The new password holds from now on."))
        return redirect("account")
    shown = {"form": form, "rights": _rights(request), "back": last_space(request)}
    return render(request, "account/account.html", shown, status=400 if form.errors else 200)


def _password_form(request: DeskRequest) -> "SetPasswordForm[User]":
    """The old password is asked for where there is one, unless somebody came in by a link: they may have lost it."""
    is_known = request.user.has_usable_password() and _BY_LINK not in request.session
    return (PasswordChangeForm if is_known else SetPasswordForm)(request.user, request.POST or None)


def _rights(request: DeskRequest) -> list[Right]:
    return rights(Membership.objects.filter(user=request.user).select_related("space").order_by("space__name"))
