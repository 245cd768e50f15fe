/** Opens a new notebook object per test and unwraps its outcomes. */
// features: sessions, changes, events, tasks, files, skills, apps, landing-page, server-card, health, inspector
import { env } from 'cloudflare:workers'
import type { Fault, Outcome } from '../../../examples/notebook/note.ts'
import type { Notebook } from '../../../examples/notebook/object/notebook-object.ts'

export function openNotebook(): DurableObjectStub<Notebook> {
  return env.NOTEBOOK.getByName(crypto.randomUUID())
}

export function resultOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.error)}`)
  return outcome.value
}

export function faultOf(outcome: Outcome<unknown>): Fault {
  if (outcome.ok) throw new Error(`not refused: ${JSON.stringify(outcome.value)}`)
  return outcome.error
}

/** Writes one note for each title and body. */
export async function writeNotes(
  notebook: DurableObjectStub<Notebook>,
  bodies: { readonly [title: string]: string },
): Promise<void> {
  for (const [title, body] of Object.entries(bodies)) {
    resultOf(await notebook.write({ title, body }))
  }
}

/** Returns the ids of the notes that a search finds, best first. */
export async function find(
  notebook: DurableObjectStub<Notebook>,
  query: string,
  tags: readonly string[] = [],
): Promise<string[]> {
  const page = resultOf(await notebook.search({ query, tags, limit: 50, offset: 0 }))
  return page.hits.map(({ id }) => id)
}
