/** The section of the account page: accounts at other services, the apps that use each, and what a person does with them. */

import { messagePage } from '../../../auth/pages/message-page.ts'
import { hidden, moment } from '../../../auth/pages/page-parts.ts'
import {
  type AccountSection,
  ENDPOINT,
  type Handle,
  type PageServer,
} from '../../../auth/server/authorization-server.ts'
import { readBrowserForm } from '../../../auth/server/browser-form.ts'
import { seeOther } from '../../../auth/server/redirect.ts'
import { signedIn } from '../../../auth/server/signed-in.ts'
import { html, type Markup } from '../../../pages/markup.ts'
import { untrustedCode, untrustedName, untrustedText } from '../../../pages/untrusted-text.ts'
import { type AccountView, type AppView, CONNECTIONS, type PersonConnections } from '../store.ts'
import { SECTION, type Visits, type VisitsOptions } from './visits.ts'

export const FORM_PATH = '/account/connections'

const NOTICES = {
  'account-ended': 'The account is not connected any more.',
  'account-changed': 'The account was changed.',
}

export type SectionOptions = Pick<VisitsOptions, 'services' | 'servicesOf'>

export function createSection(options: SectionOptions, visits: Visits): AccountSection<PageServer> {
  return {
    name: SECTION,
    notices: NOTICES,
    async show(server, _, { person, grants, csrf }) {
      const stored = (await storeOf(options, server, person.subject)?.list()) ?? []
      // The person knows an app by the name of its grant, as the list of apps on this page has it.
      const nameOf = ({ client, name }: AppView) =>
        grants.find((grant) => grant.client.id === client)?.client.name ?? name
      const accounts = stored.map((account) => ({
        ...account,
        usedBy: [...new Set(account.apps.map(nameOf))],
      }))
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

export const storeOf = (
  { servicesOf }: SectionOptions,
  { env, issuer }: PageServer,
  subject: string,
): PersonConnections | undefined => servicesOf(env).of(CONNECTIONS)?.of({ issuer, subject })

/** `POST /account/connections`: renames an account, makes it the default one, or ends it. */
export const createForm =
  (options: SectionOptions): Handle<PageServer> =>
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

interface ListedAccount extends AccountView {
  /** Names of apps. */
  readonly usedBy: readonly string[]
}

function section(
  { services }: SectionOptions,
  accounts: readonly ListedAccount[],
  csrf: string,
): Markup {
  if (accounts.length === 0) return html``
  const isOneOfSeveral = ({ connection }: AccountView) =>
    accounts.filter((other) => other.connection === connection && !other.hasEnded).length > 1
  return html`<h2 class="next">Connected accounts</h2>
${accounts.map((account, index) =>
  card(account, {
    title: services.get(account.connection)?.title ?? account.connection,
    id: `connected-${index}`,
    isOneOfSeveral: isOneOfSeveral(account),
    csrf,
  }),
)}`
}

interface CardOptions {
  readonly title: string
  readonly id: string
  readonly isOneOfSeveral: boolean
  readonly csrf: string
}

function card(
  { key, label, scopes, isDefault, hasEnded, createdAt, usedAt, usedBy }: ListedAccount,
  { title, id, isOneOfSeveral, csrf }: CardOptions,
): Markup {
  const rows = [
    ['Access', scopes.length > 0 && scopes.map((scope) => html`${untrustedCode(scope)} `)],
    ['Connected', moment(createdAt)],
    ['Last used', moment(usedAt)],
    [
      'Used by',
      usedBy.length === 0
        ? 'No app'
        : usedBy.map((name, index) => html`${index === 0 ? '' : ', '}${untrustedName(name)}`),
    ],
  ] as const
  return html`<section class="card app">
<h3 id="${id}">${untrustedText(title, 60)}: ${untrustedName(label)}</h3>
${isDefault && isOneOfSeveral ? html`<p class="quiet">Used where no account is named</p>` : undefined}
${hasEnded ? html`<p class="note bad">${untrustedText(title, 60)} has ended this connection. Your assistant asks you to connect it again.</p>` : undefined}
<dl class="rows">
${rows.map(([term, value]) => (value ? html`<div><dt>${term}</dt> <dd>${value}</dd></div>` : undefined))}
</dl>
<form method="post" action="${FORM_PATH}">
${hidden('csrf', csrf)}
${hidden('account', key)}
<details><summary>Rename</summary>
<label for="${id}-label">Name</label>
<input id="${id}-label" name="label" value="${label}" maxlength="64" autocomplete="off">
<button name="do" value="rename" aria-describedby="${id}">Rename</button>
</details>
<div class="buttons">
${isOneOfSeveral && !isDefault && !hasEnded ? html`<button name="do" value="default" aria-describedby="${id}">Make default</button>` : undefined}
<button name="do" value="end" formnovalidate aria-describedby="${id}">Disconnect</button></div>
</form>
</section>
`
}
