/** Code whose calls ask, wait and are killed: what has completed is not repeated. */
import { describe, expect, it, vi } from 'vitest'
import { WAYS } from './support/code-client.ts'
import { doneIn, killObjects } from './support/code-server.ts'

/** A call that may become a task has no row in its first two seconds. */
const BEGINNING_MS = 2_200

const ORDERS = `
  const first = await tools.look_up({ run, item: 'a' })
  const [x, y] = await Promise.all([
    tools.order({ run, item: 'x' }),
    tools.order({ run, item: 'y' }),
  ])
  console.log(first)
  const last = await tools.order({ run, item: 'z' })
  return { first, x, y, last }
`

const named = (run: string, source: string) => `const run = ${JSON.stringify(run)}\n${source}`

const countOf = (run: string, what: string) => doneIn(run).filter((each) => each === what).length

describe.each(WAYS)('code whose calls ask in %s', (_, call) => {
  it('continues with the answers, and repeats no call and no step', async () => {
    const run = crypto.randomUUID()
    const { result, asked } = await call(named(run, ORDERS))
    expect(result.structuredContent).toEqual({
      result: { first: 'a 1', x: 'x accept 1', y: 'y accept 1', last: 'z accept 1' },
      logs: ['a 1'],
      calls: 4,
    })
    expect(countOf(run, 'look_up a')).toBe(1)
    for (const item of ['x', 'y', 'z']) {
      expect(countOf(run, `reserve ${item}`)).toBe(1)
      expect(countOf(run, `pay ${item}`)).toBe(1)
      expect(countOf(run, `handler ${item}`)).toBe(2)
    }
    expect(asked).toEqual(['Order x?', 'Order y?', 'Order z?'])
  })

  it('continues when the objects are killed before each answer', async () => {
    const run = crypto.randomUUID()
    const { result } = await call(named(run, ORDERS), killObjects)
    expect(result.structuredContent).toMatchObject({ result: { last: 'z accept 1' }, calls: 4 })
    const effects = doneIn(run).filter((each) => /^(?:pay|reserve|look_up)/.test(each))
    expect(effects.toSorted()).toEqual([
      'look_up a',
      ...['x', 'y', 'z'].map((item) => `pay ${item}`),
      ...['x', 'y', 'z'].map((item) => `reserve ${item}`),
    ])
  })
})

describe.each(WAYS)('code with more asks than one call may have in %s', (_, call) => {
  it('ends with an error, and pays nothing', async () => {
    const run = crypto.randomUUID()
    const source =
      'return Promise.all(Array.from({ length: 40 }, (_, n) => tools.order({ run, item: String(n) })))'
    const { result, asked } = await call(named(run, source))
    expect(result.content[0].text).toContain('At most 32 questions and waits can be open')
    expect(asked).toEqual([])
    expect(doneIn(run).filter((each) => each.startsWith('pay'))).toEqual([])
  })
})

describe('code whose results are larger than a request of 2026-07-28 can carry', () => {
  const source = `
    const large = await tools.look_up({ run, item: 'l'.repeat(100_000) })
    return (await tools.order({ run, item: 'x' })) + large.length
  `
  it.each(WAYS.slice(1))('asks in %s', async (_, call) => {
    const { result } = await call(named(crypto.randomUUID(), source))
    expect(result.structuredContent?.result).toBe('x accept 1100002')
  })

  it('ends with an error that says what to do in the rounds of a request', async () => {
    const [way] = WAYS
    const run = crypto.randomUUID()
    const called = await way?.[1](named(run, source))
    expect(called?.result.content[0].text).toContain('Call the tool that asks first')
    expect(countOf(run, 'pay x')).toBe(0)
  })
})

describe.each(WAYS.slice(1, 3))('code that is killed while a call runs in %s', (_, call) => {
  const held = async (tool: string) => {
    const run = crypto.randomUUID()
    const source = `
      const first = await tools.look_up({ run, item: 'a' })
      const held = await tools.${tool}({ run, item: 'h' }).catch((error) => error.message)
      return [first, held, await tools.look_up({ run, item: 'b' })]
    `
    const called = call(named(run, source))
    await vi.waitFor(() => expect(doneIn(run)).toContain('held'))
    await new Promise((resolve) => setTimeout(resolve, BEGINNING_MS))
    await killObjects()
    const { result } = await called
    return { value: result.structuredContent?.result, ran: doneIn(run) }
  }

  it('continues with an error of the call that was interrupted', async () => {
    const { value, ran } = await held('hold')
    const text =
      'The server was interrupted while hold was running. It may have had its effect, so it was not called again. Check what it has done before you call it.'
    expect(value).toEqual(['a 1', text, 'b 1'])
    expect(ran).toEqual(['look_up a', 'hold h', 'before h', 'held', 'look_up b'])
  })

  it('calls a tool that may be repeated again, without its steps', async () => {
    const { value, ran } = await held('hold_repeatable')
    expect(value).toEqual(['a 1', 'h 1', 'b 1'])
    expect(ran).toEqual(['look_up a', 'hold h', 'before h', 'held', 'hold h', 'look_up b'])
  })
})

describe.each(WAYS)('code with a call that sleeps in %s', (_, call) => {
  it('continues after the sleep, and repeats no other call', async () => {
    const run = crypto.randomUUID()
    const source =
      'return Promise.all([tools.nap({ run, item: "n" }), tools.look_up({ run, item: "l" })])'
    const { result } = await call(named(run, source))
    expect(result.structuredContent).toMatchObject({ result: ['n rested', 'l 1'] })
    expect(countOf(run, 'look_up l')).toBe(1)
  })
})
