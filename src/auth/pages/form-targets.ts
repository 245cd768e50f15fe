/**
 * Where the answer to a form may lead, beside this host. Chromium holds every redirect that follows a
 * form to the policy of the page that had it, those of other hosts included, and where one is not
 * allowed the page just stays.
 *
 * So this is wider than the one place that an answer is sent to: a callback may pass its browser on, to
 * a page that says it is done or to its app. It does not have to be narrower: whoever registers a client
 * chooses that place, so naming it alone would hold back nobody who could write into the page.
 */
import type { ConsentView, LoginView } from './views.ts'

/** The web, and programs on this device. */
const ELSEWHERE = ['https:', 'http://127.0.0.1:*', 'http://localhost:*']

/** Apps whose callback on the web may hand over to them. */
const KNOWN_APPS = ['claude:', 'cursor:', 'vscode:', 'vscode-insiders:']

export function consentTargets({
  redirectKind,
  redirectSource,
  login,
}: Pick<ConsentView, 'redirectKind' | 'redirectSource' | 'login'>): readonly string[] {
  if (redirectKind !== 'app') return [redirectSource, ...ELSEWHERE, ...KNOWN_APPS]
  return login === undefined ? [redirectSource] : [redirectSource, ...loginTargets(login)]
}

/** A provider may send its people on to others, so where signing in leads is not known here. */
export function loginTargets(login: LoginView['login']): readonly string[] {
  return typeof login === 'object' ? ELSEWHERE : []
}
