/** Tests the asking example: a random choice is made once, and every answer belongs to its question. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import asking from '../../examples/asking/worker.ts'
import { createClient } from './client.ts'

const { round, refusal, ask } = createClient((request) =>
  asking.fetch(request, env, createExecutionContext()),
)

const entrants = ['Ada', 'Bob', 'Cleo', 'Dan', 'Eve', 'Fay']
const draw = (answers: object = {}) => round('draw_winner', { entrants }, { ...answers })
const here = (isHere: boolean) => ({ action: 'accept', content: { here: isHere } })
/** Returns the name on the ticket that a round asks about. */
const drawn = ({ inputRequests }: { inputRequests: object }, key: string) =>
  (inputRequests as Record<string, { params: { message: string } }>)[key]?.params.message.match(
    /^The ticket of (\w+) was drawn\.$/m,
  )?.[1]

describe('the asking example', () => {
  it('announces the name from the question when the answer is sent repeatedly', async () => {
    const { requestState, inputRequests } = await draw()
    const winner = drawn({ inputRequests }, 'confirm-1')
    expect(entrants).toContain(winner)
    for (let sent = 0; sent < 8; sent++) {
      const result = await draw({ requestState, inputResponses: { 'confirm-1': here(true) } })
      expect(result.structuredContent).toEqual({ winner, absent: [] })
    }
  })

  it('draws again without the absent entrants until no entrant is left', async () => {
    const names: (string | undefined)[] = []
    let response = await draw()
    for (let turn = 1; turn <= entrants.length; turn++) {
      const key = `confirm-${turn}`
      expect(Object.keys(response.inputRequests)).toEqual([key])
      names.push(drawn(response, key))
      const { requestState } = response
      response = await draw({ requestState, inputResponses: { [key]: here(false) } })
    }
    expect(names.toSorted()).toEqual(entrants)
    expect(response.isError).toBe(true)
    expect(response.content[0].text).toBe(
      `There is no winner: ${names.join(', ')} were drawn and are absent.`,
    )
  })

  it.each(['decline', 'cancel'])(
    'ends without a winner when the client answers the question with %s',
    async (action) => {
      const { requestState } = await draw()
      const inputResponses = { 'confirm-1': { action } }
      const { content, isError } = await draw({ requestState, inputResponses })
      expect([isError, content[0].text]).toEqual([
        true,
        'The raffle was cancelled. There is no winner.',
      ])
    },
  )

  it('asks about the same name again when the answer does not match the schema', async () => {
    const first = await draw()
    const inputResponses = { 'confirm-1': { action: 'accept', content: { here: 'yes' } } }
    const second = await draw({ requestState: first.requestState, inputResponses })
    expect(drawn(second, 'confirm-1')).toBe(drawn(first, 'confirm-1'))
  })

  it('rejects a request state that was issued for another raffle', async () => {
    const { requestState } = await draw()
    const inputResponses = { 'confirm-1': here(true) }
    const other = { entrants: [...entrants, 'Gus'] }
    await expect(round('draw_winner', other, { requestState, inputResponses })).rejects.toThrow(
      /-32602/,
    )
  })

  it('answers with a protocol error when the client declares no form elicitation', async () => {
    const call = ask('tools/call', { name: 'draw_winner', arguments: { entrants } })
    await expect(call).rejects.toThrow(/-32021.*"requiredCapabilities":\{"elicitation":\{"form"/)
    expect(await refusal('draw_winner', { entrants: [] })).toMatch(/^Invalid arguments/)
  })
})
