/** Notifies listeners of the changes of a call, without delaying its answer. */
import type { Context } from '../../src/index.ts'
import type { Env } from './env.ts'
import { noteUri, TAGS_URI } from './uri.ts'

interface Changes {
  /** Ids of notes that were created, changed or deleted. */
  readonly notes: readonly string[]
  /** Whether the tags in use may have changed. */
  readonly tags: boolean
}

/**
 * Notifies the listeners of the caller's subject, on all their connections. For other subjects the same URI
 * names another note.
 */
export function notifyListeners(ctx: Context<Env>, { notes, tags }: Changes): void {
  if (ctx.env.MCP_HUB === undefined) return
  const { notify } = ctx
  const to = { subject: ctx.auth?.subject }
  const uris = [...notes.map(noteUri), ...(tags ? [TAGS_URI] : [])]
  const published = uris.map((uri) => notify.resourceUpdated(uri, to))
  // The list contains titles, tags and times, so it changes with every note.
  published.push(notify.resourcesChanged(to))
  // The note is already stored: a failed notification appears in the Worker's log only.
  ctx.waitUntil(Promise.all(published))
}
