/** A cursor of `ctx.page` is for the caller that has received it. */
// features: auth, files
import { expect, it } from 'vitest'
import { as, run } from '../../durable-objects/state/run.ts'
import type { TaskClient } from '../../durable-objects/task/task-client.ts'

const TEXT = 'a line\n'.repeat(1000)

const page = (client?: TaskClient, cursor?: string) =>
  run(
    (ctx) =>
      ctx.page(TEXT, { pageBytes: 1000, cursor }).catch((error) => ({
        text: String(error.reason),
        nextCursor: undefined,
      })),
    client,
  )

it('refuses the cursor of another caller, also to an anonymous one', async () => {
  const { nextCursor } = await page(as('pager'))
  expect((await page(as('pager'), nextCursor)).text).toContain('a line')
  for (const client of [as('another-pager'), undefined]) {
    expect((await page(client, nextCursor)).text).toBe('unknown-cursor')
  }
})
