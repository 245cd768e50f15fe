/**
 * The targets of `form-action` beside this host. Chromium applies the directive to every redirect after
 * a form submission, also to redirects of other hosts, and silently stays on the page when one is not
 * listed.
 *
 * So the list is wider than the redirect URI: a callback may redirect again, to a final page or to its
 * app. A narrower list protects nothing, because an attacker who registers a client chooses the
 * redirect URI.
 */
import type { ConsentView, LoginForm } from './views.ts'

/** Web sites, and programs on this device. */
const ANY_SITE = ['https:', 'http://127.0.0.1:*', 'http://localhost:*']

/** Apps whose web callback may redirect to the app. */
const KNOWN_APPS = ['claude:', 'cursor:', 'vscode:', 'vscode-insiders:']

export function consentTargets({
  redirectKind,
  redirectSource,
  login,
}: Pick<ConsentView, 'redirectKind' | 'redirectSource' | 'login'>): readonly string[] {
  if (redirectKind !== 'app') return [redirectSource, ...ANY_SITE, ...KNOWN_APPS]
  return login === undefined ? [redirectSource] : [redirectSource, ...loginTargets(login)]
}

/** A provider may redirect to further providers, so the targets of a sign-in are unknown. */
export function loginTargets(login: LoginForm): readonly string[] {
  return typeof login === 'object' && 'provider' in login ? ANY_SITE : []
}
