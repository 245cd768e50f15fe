/** One scope, tool, prompt, resource or template of the page. */
import { html, type Markup } from '../../../pages/markup.ts'
import { untrustedCode, untrustedName, untrustedText } from '../../../pages/untrusted-text.ts'
import type { ToolAnnotations } from '../../../protocol/primitives.ts'
import type { ArgumentView, ItemView, PromptView, ScopeView, ToolView } from './server-view.ts'

const MAX_DESCRIPTION = 240
const MAX_ARGUMENTS = 30
const MAX_ARGUMENT_DESCRIPTION = 160

/** The hints that an author has set; the defaults of the others say nothing. */
const HINTS = [
  ['readOnlyHint', 'reads only'],
  ['destructiveHint', 'may delete or overwrite'],
  ['idempotentHint', 'may be repeated'],
  ['openWorldHint', 'reaches other services'],
] as const satisfies readonly (readonly [keyof ToolAnnotations, string])[]

export function tool(view: ToolView): Markup {
  const { annotations } = view
  const hints = HINTS.flatMap(([name, text]) => (annotations?.[name] === true ? text : []))
  return entry(view, hints, argumentList(view.arguments))
}

export const prompt = (view: PromptView): Markup => entry(view, [], argumentList(view.arguments))

export const item = (view: ItemView): Markup => entry(view, [], undefined)

export function scope({ name, description }: ScopeView): Markup {
  return html`<li>${untrustedCode(name)}${description === undefined ? undefined : html` <bdi>${untrustedText(description, MAX_DESCRIPTION)}</bdi>`}</li>
`
}

function entry(view: ItemView, hints: readonly string[], details: Markup | undefined): Markup {
  const { name, title, description, uri, scopes } = view
  const facts = [...hints, ...scopes.map((scope) => `needs ${untrustedText(scope, 60)}`)]
  return html`<li><h3>${title === undefined ? undefined : html`${untrustedName(title)} `}${untrustedCode(name)}</h3>
${uri === undefined ? undefined : html`<p>${untrustedCode(uri)}</p>`}
${description === undefined ? undefined : html`<p><bdi>${untrustedText(description, MAX_DESCRIPTION)}</bdi></p>`}
${facts.length === 0 ? undefined : html`<p class="facts">${facts.map((fact) => html`<span>${fact}</span> `)}</p>`}
${details}</li>
`
}

function argumentList(all: readonly ArgumentView[]): Markup | undefined {
  if (all.length === 0) return undefined
  const rows = all.slice(0, MAX_ARGUMENTS).map(
    ({ name, type, description, required }) =>
      html`<dt>${untrustedCode(name)} <span class="quiet">${[type && untrustedText(type, 40), required ? 'required' : 'optional'].filter(Boolean).join(', ')}</span></dt>
<dd>${description === undefined ? undefined : html`<bdi>${untrustedText(description, MAX_ARGUMENT_DESCRIPTION)}</bdi>`}</dd>
`,
  )
  const more = all.length - rows.length
  return html`<details><summary>${all.length === 1 ? '1 argument' : `${all.length} arguments`}</summary>
<dl>${rows}</dl>${more === 0 ? undefined : html`<p class="quiet">${`${more}`} more</p>`}</details>`
}
