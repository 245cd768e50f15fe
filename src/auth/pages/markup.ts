/** HTML in which every value is escaped, made at once: nothing on these pages is waited for. */
import { html as template } from 'hono/html'

export type Markup = Exclude<ReturnType<typeof template>, Promise<unknown>>

/** Values are text, other markup, lists of either, or nothing. In attributes, only between quotes. */
export type MarkupValue = string | Markup | undefined | readonly MarkupValue[]

export function html(strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  const markup = template(strings, ...values)
  // Only a promise among the values makes one of the whole, and the types let none in.
  if (markup instanceof Promise) throw new TypeError('A page cannot wait for its parts')
  return markup
}
