/** Tests which notebook a caller gets, and which listeners are notified of its changes. */
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { HubChangeBus } from '../../../durable-objects/hub/change-bus.ts'
import type { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import { notebookOf } from '../../../examples/notebook/env.ts'
import { noteChanged, notifyListeners } from '../../../examples/notebook/note-changes.ts'
import notebook from '../../../examples/notebook/worker.ts'
import type { FullContext } from '../../support/full-server.ts'
import { objectsOfKind } from '../../support/objects.ts'
import { resultOf, writeNotes } from './notebook.ts'

const notebookFor = (subject: string | undefined, clientId = 'client') => {
  const auth = subject === undefined ? undefined : { subject, clientId, scopes: [] }
  return notebookOf({ env, auth } as Pick<
    FullContext<Cloudflare.Env>,
    'env' | 'auth'
  > as FullContext<Cloudflare.Env>)
}

it('notebookOf returns one notebook per subject and one for all unauthenticated callers', () => {
  const names = [undefined, 'anonymous', 'ann', 'bob', ''].map(
    (subject) => notebookFor(subject).name,
  )
  expect(names).toEqual([
    'anonymous',
    'subject:anonymous',
    'subject:ann',
    'subject:bob',
    'subject:',
  ])
})

it('notebookOf returns the same notebook for every client of a subject', async () => {
  await writeNotes(notebookFor('ann', 'claude'), { Mine: 'text' })
  expect(resultOf(await notebookFor('ann', 'codex').read('mine')).body).toBe('text')
  expect((await notebookFor('bob').read('mine')).ok).toBe(false)
})

it('notifyListeners reaches only the listeners and the subscribers of the subject', async () => {
  const bus = new HubChangeBus(objectsOfKind<HubObject>('hub'), 'notebook')
  const listen = async (subject: string) => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const listened = await bus.listen({
      kinds: ['resource_updated'],
      subject,
      onChanges: ([first]) => resolve(first?.change),
      onLost: () => resolve('lost'),
    })
    if (!listened.ok) throw new Error(listened.error)
    return { received: promise, close: listened.value.close }
  }
  const [ann, bob] = [await listen('ann'), await listen('bob')]
  for (const [subject, id] of [
    ['ann', 'diary'],
    ['bob', 'recipes'],
  ] as const) {
    const sent: Promise<unknown>[] = []
    const auth = { subject, clientId: 'client', scopes: [] }
    const waitUntil = (promise: Promise<unknown>) => void sent.push(promise)
    const emit = vi.fn(async () => ({ eventId: 'evt' }))
    const ctx = { env, auth, notify: notebook.notify(env), emit, waitUntil }
    const note = { id, title: id, action: 'changed' } as const
    notifyListeners(ctx as unknown as FullContext<Cloudflare.Env>, { notes: [note], tags: false })
    await Promise.all(sent)
    expect(emit).toHaveBeenCalledExactlyOnceWith(noteChanged, expect.objectContaining({ id }), {
      subject,
    })
  }
  expect(await ann.received).toMatchObject({
    kind: 'resource_updated',
    uri: 'note://notebook/diary',
  })
  // The other subject's change was published first, so this listener would have received it first.
  expect(await bob.received).toMatchObject({
    kind: 'resource_updated',
    uri: 'note://notebook/recipes',
  })
  ann.close()
  bob.close()
})
