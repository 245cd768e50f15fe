/** The part of the consent page that admits an app to accounts which the person has connected. */
import type { ConsentChoices } from '../../../auth/server/authorization-server.ts'
import { html } from '../../../pages/markup.ts'
import { untrustedCode, untrustedName, untrustedText } from '../../../pages/untrusted-text.ts'
import type { AccountView, ShownAccount } from '../store.ts'
import { type SectionOptions, storeOf } from './section.ts'

/** The form carries what is shown. Others are admitted at the page of their first use. */
const MAX_ACCOUNTS = 20
const MAX_SCOPES_LENGTH = 1_000

const nameOf = (index: number) => `account ${index}`

export function createConsentChoices(options: SectionOptions): ConsentChoices {
  return {
    async show({ server, client, consent }, { subject }) {
      if (server.administers(consent.resource)) return undefined
      const stored = (await storeOf(options, server, subject)?.list()) ?? []
      const accounts = stored
        .filter((account) => isOffered(account, client.id))
        .slice(0, MAX_ACCOUNTS)
      if (accounts.length === 0) return undefined
      const shown = accounts.map(({ key, connection, scopes }) => ({ key, connection, scopes }))
      const body = html`<h2>Your connected accounts</h2>
<fieldset><legend><span class="quiet">Tick those that it may use. It can ask for others later</span></legend>
${accounts.map(
  ({ connection, label, scopes }, index) =>
    html`<label class="check"><input type="checkbox" name="${nameOf(index)}" value="yes">
<span>${untrustedText(options.services.get(connection)?.title ?? connection, 60)}: ${untrustedName(label)} ${scopes.map((scope) => html`${untrustedCode(scope)} `)}</span></label>
`,
)}</fieldset>`
      return { body, shown }
    },
    async accept({ server, client: { id, name = id }, consent }, { subject }, form) {
      const shown = (consent.choices ?? []) as readonly ShownAccount[]
      const ticked = shown.filter((_, index) => form.get(nameOf(index)) === 'yes')
      if (ticked.length === 0) return
      await storeOf(options, server, subject)?.admitApp({ client: id, name }, ticked)
    },
  }
}

/** Not one that the app may use already with all its scopes. */
const isOffered = ({ hasEnded, scopes, apps }: AccountView, client: string) =>
  !hasEnded &&
  scopes.join(' ').length <= MAX_SCOPES_LENGTH &&
  !apps.some((app) => app.client === client && scopes.every((scope) => app.scopes.includes(scope)))
