/** Markup of HTML in a text, and images of other sites in Markdown. */
import { quoted } from '../../../../text/src/quoted.ts'
import { printable } from '../../../../text/src/terminal-text.ts'

const ELEMENTS =
  'a|abbr|article|audio|b|base|blockquote|body|br|button|center|code|details|div|em|embed|font|form|frame|h[1-6]|head|header|hr|html|i|iframe|img|input|label|li|link|main|marquee|meta|nav|object|ol|p|pre|script|section|select|span|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|th|thead|title|tr|u|ul|video'

/** Elements that run or load something are markup by themselves. */
const ACTIVE =
  /<(?:script|iframe|object|embed|svg|style|form|meta|link|base|img|video|audio)(?:\s[^<>]{0,300})?\/?>/i
/** Others may be a placeholder or an example, such as `<title>`, unless they are closed or have attributes. */
const CLOSED = new RegExp(`</(?:${ELEMENTS})>`, 'i')
const WITH_ATTRIBUTE = new RegExp(`<(?:${ELEMENTS})\\s{1,5}[a-z-]{1,30}=["'][^<>]{0,300}>`, 'i')
/** It sends what the model writes into the address to another site. */
const MARKDOWN_IMAGE = /!\[[^\]]{0,200}\]\(\s{0,5}(?:https?:)?\/\//i
const SCRIPT_ADDRESS = /\]\(\s{0,5}(?:javascript|data):/i

/** As a part of a sentence; undefined for plain text and Markdown. */
export function markupIn(text: string): string | undefined {
  for (const pattern of [ACTIVE, CLOSED, WITH_ATTRIBUTE, MARKDOWN_IMAGE, SCRIPT_ADDRESS]) {
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return quoted(printable(found, 100))
  }
  return undefined
}
