/** A list of scopes: the description and the name of each. */
import { html, type Markup } from '../../pages/markup.ts'
import { untrustedCode, untrustedText } from '../../pages/untrusted-text.ts'
import type { ScopeView } from './views.ts'

export function scopeList(scopes: readonly ScopeView[]): Markup {
  const items = scopes.map(
    ({ name, description }) =>
      html`<li><bdi>${untrustedText(description, 300)}</bdi> ${untrustedCode(name)}</li>
`,
  )
  return html`<ul class="scopes">
${items}</ul>`
}
