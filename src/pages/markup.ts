/** HTML templates that escape every value, without asynchronous parts. */
import { html as template } from 'hono/html'

export type Markup = Exclude<ReturnType<typeof template>, Promise<unknown>>

/** A value of a template. In attributes it must stand between quotes. */
export type MarkupValue = string | Markup | undefined | readonly MarkupValue[]

export function html(strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  const markup = template(strings, ...values)
  // The template is a promise only when a value is one, which the types exclude.
  if (markup instanceof Promise) throw new TypeError('A page must not have asynchronous parts')
  return markup
}
