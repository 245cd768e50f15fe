/** Makes text of unknown origin safe to show: one line, bounded, with its own text direction. */
import { html, type Markup } from './markup.ts'

/** In UTF-16 code units. Longer text is cut before it is processed. */
const MAX_LENGTH = 4000

/** Characters that reorder or break text are replaced with a visible mark. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/** Zero-width and filler characters, which are removed. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** More than two combining marks on one letter cover the lines above and below. */
const HEAPED_MARKS = /(\p{M}{2})\p{M}+/gu

/**
 * Plain text, for places without markup such as the title.
 *
 * @param maxCharacters in code points; longer text ends with an ellipsis
 */
export function untrustedText(text: string, maxCharacters: number): string {
  const line = text
    .slice(0, MAX_LENGTH)
    .replace(/[\t\n\r ]+/g, ' ')
    .replace(CONTROLS, '\uFFFD')
    .replace(INVISIBLE, '')
    .replace(HEAPED_MARKS, '$1')
    .trim()
  const characters = [...line]
  if (characters.length <= maxCharacters) return line
  return `${characters.slice(0, maxCharacters - 1).join('')}…`
}

/** A name whose text direction does not affect the text around it. */
export function untrustedName(text: string): Markup {
  return html`<bdi>${untrustedText(text, 100)}</bdi>`
}

/** An address or the name of a scope, always shown from left to right. */
export function untrustedCode(text: string): Markup {
  return codeOf(text, 200)
}

/** The longest origin: `https://`, a name of 253 characters with the dot of the root, and a port. */
const MAX_ORIGIN_LENGTH = 268

/**
 * A host or an origin, as code. A name that resolves is never cut, because its end says whom it belongs to. A scheme
 * of an app may be cut.
 */
export function untrustedHost(host: string): Markup {
  return codeOf(host, MAX_ORIGIN_LENGTH)
}

function codeOf(text: string, maxCharacters: number): Markup {
  return html`<bdi dir="ltr" class="code">${untrustedText(text, maxCharacters)}</bdi>`
}
