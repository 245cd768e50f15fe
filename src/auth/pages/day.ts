/** A day in UTC, because the server does not know the reader's time zone. */
import { html, type Markup } from '../../pages/markup.ts'

const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

export function day(time: number): Markup {
  return html`<time datetime="${new Date(time).toISOString()}">${DATES.format(time)}</time>`
}
