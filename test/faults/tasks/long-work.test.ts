/** Work of twenty seconds in real time, which a request holds for four. `npm run stress -- long-work` does ten minutes. */
import { expect, it } from 'vitest'
import { runLongWork } from './long-work.ts'

const SECONDS = 20
const HOLD_MS = 4000

it('a tool of twenty seconds ends with its result for each of the six clients, on a server that is killed meanwhile', async () => {
  const report = await runLongWork({ seconds: SECONDS, kills: 1, holdMs: HOLD_MS })
  const text = JSON.stringify(report)
  expect(report.repeated, text).toEqual({})
  expect(report.internalErrors, text).toBe(false)
  for (const { as, result, waits } of report.clients) {
    expect(result, as).toEqual({ seconds: SECONDS })
    // Those without tasks have waited at least twice for the rest.
    const hasTasks = as === 'claude-code' || as === 'vscode'
    expect(waits >= (hasTasks ? 0 : 2), `${as}: ${waits}`).toBe(true)
  }
})
