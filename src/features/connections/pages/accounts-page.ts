/** The account page of a server that issues no tokens: the accounts alone. */
import { hidden, signOutForm } from '../../../auth/pages/page-parts.ts'
import { pageResponse } from '../../../auth/pages/page-response.ts'
import type {
  AccountSection,
  Handle,
  PageServer,
} from '../../../auth/server/authorization-server.ts'
import { createFormToken } from '../../../auth/server/browser-form.ts'
import { withCookies } from '../../../auth/server/cookies.ts'
import { askToSignIn } from '../../../auth/server/sign-in-page.ts'
import { signedIn } from '../../../auth/server/signed-in.ts'
import { html } from '../../../pages/markup.ts'
import { untrustedName } from '../../../pages/untrusted-text.ts'

/** `GET /account` */
export const createAccountsPage =
  (section: AccountSection<PageServer>): Handle<PageServer> =>
  async (server, request) => {
    const person = await signedIn(server, request)
    if (person === undefined) return askToSignIn(server, request)
    const { csrf, cookie } = await createFormToken(request, server.limits)
    const { body } = await section.show(server, request, {
      ...{ person, csrf, grants: [], problem: undefined },
    })
    const page = pageResponse({
      title: 'Connected accounts',
      serverName: server.serverName,
      body: html`${body}${signOutForm(hidden('csrf', csrf), untrustedName(person.name ?? person.subject))}`,
    })
    return withCookies(page, cookie)
  }
