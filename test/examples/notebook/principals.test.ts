/** Whose notebook a request goes to. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { notebookOf } from '../../../examples/notebook/env.ts'
import type { Context } from '../../../src/index.ts'
import { resultOf, writeNotes } from './notebook.ts'

const notebookFor = (subject: string | undefined, clientId = 'client') => {
  const auth = subject === undefined ? undefined : { subject, clientId, scopes: [] }
  return notebookOf({ env, auth } as Pick<
    Context<Cloudflare.Env>,
    'env' | 'auth'
  > as Context<Cloudflare.Env>)
}

it('is one per subject, and one for callers without any', () => {
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

it('is the same from every client of a person', async () => {
  await writeNotes(notebookFor('ann', 'claude'), { Mine: 'text' })
  expect(resultOf(await notebookFor('ann', 'codex').read('mine')).body).toBe('text')
  expect((await notebookFor('bob').read('mine')).ok).toBe(false)
})
