/** Telling listeners what a call has changed: beside its answer, which it neither delays nor fails. */
import type { Context } from '../../src/index.ts'
import type { Env } from './env.ts'
import { noteUri, TAGS_URI } from './uri.ts'

interface Changes {
  /** Ids of notes that are another now, are new, or are gone. */
  readonly notes: readonly string[]
  /** Whether the tags in use may have changed. */
  readonly tags: boolean
}

/**
 * Tells the caller's own listeners, on whatever connection they are: to everybody else the same URI
 * names another note.
 */
export function tellListeners(ctx: Context<Env>, { notes, tags }: Changes): void {
  if (ctx.env.MCP_HUB === undefined) return
  const { notify } = ctx
  const to = { subject: ctx.auth?.subject }
  const uris = [...notes.map(noteUri), ...(tags ? [TAGS_URI] : [])]
  const news = uris.map((uri) => notify.resourceUpdated(uri, to))
  // The list gives titles, tags and times, so it changes with every note.
  news.push(notify.resourcesChanged(to))
  // The note is kept, whoever hears of it: a failure shows in the Worker's log and nowhere else.
  ctx.waitUntil(Promise.all(news))
}
