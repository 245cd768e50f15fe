/** The section of the account page: accounts at other services, the apps that use each, and what a person does with them. */

import { messagePage } from '../../../auth/pages/message-page.ts'
import { hidden, moment } from '../../../auth/pages/page-parts.ts'
import {
  type AccountSection,
  type AuthorizationServer,
  ENDPOINT,
  type Handle,
} from '../../../auth/server/authorization-server.ts'
import { readBrowserForm } from '../../../auth/server/browser-form.ts'
import { seeOther } from '../../../auth/server/redirect.ts'
import { signedIn } from '../../../auth/server/signed-in.ts'
import { html, type Markup } from '../../../pages/markup.ts'
import { untrustedCode, untrustedName, untrustedText } from '../../../pages/untrusted-text.ts'
import { type AccountView, CONNECTIONS, type PersonConnections } from '../store.ts'
import { SECTION, type Visits, type VisitsOptions } from './visits.ts'

export const FORM_PATH = '/account/connections'

const NOTICES = {
  'account-ended': 'The account is not connected any more.',
  'account-changed': 'The account was changed.',
}

type SectionOptions = Pick<VisitsOptions, 'services' | 'servicesOf'>

export function createSection(options: SectionOptions, visits: Visits): AccountSection {
  return {
    name: SECTION,
    notices: NOTICES,
    async show(server, _, { person, csrf }) {
      const accounts = (await storeOf(options, server, person.subject)?.list()) ?? []
      return { body: section(options, accounts, csrf), formTargets: [] }
    },
    follow: (server, purpose, account) => visits.follow(server, purpose, account),
    refuse: ({ status, problem: message }) =>
      messagePage({ status, title: 'Nothing was connected', message }),
    fail: (server, purpose, error) => visits.fail(server, purpose, error),
    disconnected: async (server, subject, client) =>
      storeOf(options, server, subject)?.dismiss(client),
  }
}

const storeOf = (
  { servicesOf }: SectionOptions,
  { env, issuer }: AuthorizationServer,
  subject: string,
): PersonConnections | undefined => servicesOf(env).of(CONNECTIONS)?.of({ issuer, subject })

/** `POST /account/connections`: renames an account, makes it the default one, or ends it. */
export const createForm =
  (options: SectionOptions): Handle =>
  async (server, request) => {
    const { form } = await readBrowserForm(request, server.issuer)
    const person = await signedIn(server, request)
    const store = person && storeOf(options, server, person.subject)
    if (store === undefined) return seeOther(ENDPOINT.account)
    const key = form.get('account') ?? ''
    if (form.get('do') === 'end') {
      await store.end(key)
      return seeOther(`${ENDPOINT.account}?account-ended`)
    }
    const label = form.get('label')
    await store.change(key, {
      ...(form.get('do') === 'default' && { isDefault: true }),
      ...(form.get('do') === 'rename' && label !== undefined && { label }),
    })
    return seeOther(`${ENDPOINT.account}?account-changed`)
  }

function section(
  { services }: SectionOptions,
  accounts: readonly AccountView[],
  csrf: string,
): Markup {
  if (accounts.length === 0) return html``
  const several = (account: AccountView) =>
    accounts.filter(({ connection }) => connection === account.connection).length > 1
  return html`<h2 class="next">Connected accounts</h2>
${accounts.map((account, index) =>
  card(
    services.get(account.connection)?.title ?? account.connection,
    account,
    several(account),
    `connected-${index}`,
    csrf,
  ),
)}`
}

function card(
  title: string,
  account: AccountView,
  isOneOfSeveral: boolean,
  id: string,
  csrf: string,
): Markup {
  const { key, label, scopes, isDefault, hasEnded, createdAt, usedAt, apps } = account
  return html`<section class="card app">
<h3 id="${id}">${untrustedText(title, 60)}: ${untrustedName(label)}</h3>
${hasEnded ? html`<p class="note bad">The service has ended this connection. Your assistant asks you to connect it again.</p>` : undefined}
${scopes.length === 0 ? undefined : html`<p class="quiet">Access: ${scopes.map((scope) => html`${untrustedCode(scope)} `)}</p>`}
<dl class="rows">
<div><dt>Connected</dt> <dd>${moment(createdAt)}</dd></div>
<div><dt>Last used</dt> <dd>${moment(usedAt)}</dd></div>
<div><dt>Used by</dt> <dd>${apps.length === 0 ? 'no app' : apps.map(({ name }, index) => html`${index === 0 ? '' : ', '}${untrustedName(name)}`)}</dd></div>
</dl>
<form method="post" action="${FORM_PATH}">
${hidden('csrf', csrf)}
${hidden('account', key)}
<label for="${id}-label">Name</label>
<input id="${id}-label" name="label" value="${label}" maxlength="64">
<div class="buttons"><button name="do" value="rename" aria-describedby="${id}">Rename</button>
${isOneOfSeveral && !isDefault && !hasEnded ? html`<button name="do" value="default" aria-describedby="${id}">Use by default</button>` : undefined}
<button name="do" value="end" formnovalidate aria-describedby="${id}">Disconnect</button></div>
</form>
${isDefault && isOneOfSeveral ? html`<p class="quiet">Used where no account is named.</p>` : undefined}
</section>
`
}
