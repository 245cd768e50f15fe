/** Answers and states that no honest client sends, and what becomes of each. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { callTool, inShort, stateOf } from './modern.ts'

const OK = { action: 'accept', content: { ok: true } }
const DONE = '{"action":"accept","ok":true}'
const INVALID_PARAMS = -32602

let server: FixtureServer
beforeAll(async () => {
  server = await startFixtureServer()
})
afterAll(() => server?.stop())

describe('an answer to a form', () => {
  const filler = 'x'.repeat(3_000_000)
  it.each([
    ['null', null, 'asks confirm'],
    ['a text', 'accept', 'asks confirm'],
    ['a list around an answer', [OK], 'asks confirm'],
    ['no action', {}, 'asks confirm'],
    ['an unknown action', { action: 'yes' }, 'asks confirm'],
    ['an action named like a prototype', { action: '__proto__' }, 'asks confirm'],
    ['accepted without content', { action: 'accept' }, 'asks confirm'],
    ['accepted with a list', { action: 'accept', content: [] }, 'asks confirm'],
    ['a text for a boolean', { action: 'accept', content: { ok: 'true' } }, 'asks confirm'],
    ['an answer of a model', { role: 'user', model: 'm', content: OK }, 'asks confirm'],
    ['roots', { roots: [] }, 'asks confirm'],
    ['a member too many', { action: 'accept', content: { ok: true, more: 1 } }, DONE],
    ['3 MB too many', { action: 'accept', content: { ok: true, filler } }, DONE],
    ['declined with content', { ...OK, action: 'decline' }, '{"action":"decline","ok":null}'],
  ])('which is %s', async (_, confirm, expected) => {
    const requestState = await stateOf(server.url, 'ask_count', { name: 'form' })
    const round = { requestState, inputResponses: { confirm } }
    expect(inShort(await callTool(server.url, 'ask_count', { name: 'form' }, round))).toBe(expected)
  })
})

describe('an answer of a model', () => {
  const base = { role: 'assistant', model: 'm' }
  const text = { type: 'text', text: 'Hi' }
  it.each([
    ['a text', { ...base, content: text }, 'Hi'],
    ['a list of blocks', { ...base, content: [text, text] }, 'Hi\nHi'],
    ['a list within a list', { ...base, content: [[text]] }, 'asks again'],
    ['no blocks', { ...base, content: [] }, 'asks again'],
    ['a type named like a prototype', { ...base, content: { type: '__proto__' } }, 'asks again'],
    ['nobody’s', { model: 'm', content: text }, 'asks again'],
    [
      'a use of a tool without input',
      { ...base, content: { type: 'tool_use', id: '1', name: 'add' } },
      'asks again',
    ],
  ])('which is %s', async (_, answer, expected) => {
    const args = { prompt: 'Say hi' }
    const { result } = await callTool(server.url, 'sample_once', args)
    const [key = ''] = Object.keys(result?.inputRequests ?? {})
    const round = { requestState: result?.requestState, inputResponses: { [key]: answer } }
    const got = inShort(await callTool(server.url, 'sample_once', args, round))
    expect(got === `asks ${key}` ? 'asks again' : got).toBe(expected)
  })
})

describe('answers as a whole', () => {
  const hostile = JSON.parse('{"__proto__":{"confirm":{"action":"accept"}},"constructor":1}')
  it.each<[string, unknown, string | number]>([
    ['a list', [], INVALID_PARAMS],
    ['null', null, INVALID_PARAMS],
    ['a text', 'confirm', INVALID_PARAMS],
    ['none', {}, 'asks confirm'],
    ['under keys of a prototype', hostile, 'asks confirm'],
    ['one that was asked and one that never was', { never: OK, confirm: OK }, DONE],
  ])('which are %s', async (_, inputResponses, expected) => {
    const requestState = await stateOf(server.url, 'ask_count', { name: 'whole' })
    const round = { requestState, inputResponses }
    const answer = await callTool(server.url, 'ask_count', { name: 'whole' }, round)
    expect(inShort(answer)).toBe(expected)
  })

  it.each([
    ['150,000 characters', 'x'.repeat(150_000)],
    ['40,000 characters of three bytes', '漢'.repeat(40_000)],
  ])('of %s have no room where another question follows', async (_, name) => {
    const requestState = await stateOf(server.url, 'ask_two')
    const round = {
      requestState,
      inputResponses: { name: { action: 'accept', content: { name } } },
    }
    expect(inShort(await callTool(server.url, 'ask_two', {}, round))).toBe(INVALID_PARAMS)
  })

  it('of 150,000 characters are taken where none follows', async () => {
    const color = { action: 'accept', content: { color: 'x'.repeat(150_000) } }
    const name = { action: 'accept', content: { name: 'Ada' } }
    const answer = await callTool(server.url, 'ask_two', {}, { inputResponses: { name, color } })
    expect(inShort(answer)).toBe(`Ada likes ${color.content.color}`)
  })
})

describe('a state', () => {
  const alterations: [string, (state: string) => unknown][] = [
    ['null', () => null],
    ['a number', () => 1],
    ['empty', () => ''],
    ['an object', () => ({})],
    ['3 MB', () => 'x'.repeat(3_000_000)],
    ['cut short', (state) => state.slice(0, -1)],
    ['padded', (state) => `${state}=`],
    ['followed by a line end', (state) => `${state}\n`],
    ['of another key', (state) => `${state[0]}AAAAAAAA${state.slice(9)}`],
    ['of another version', (state) => `2${state.slice(1)}`],
    ['twice', (state) => state + state],
  ]
  it.each(alterations)('which is %s is refused', async (_, alter) => {
    const state = await stateOf(server.url, 'ask_count', { name: 'state' })
    const round = { requestState: alter(state), inputResponses: { confirm: OK } }
    const answer = await callTool(server.url, 'ask_count', { name: 'state' }, round)
    expect(inShort(answer)).toBe(INVALID_PARAMS)
  })

  const of = { name: 'bound', more: { a: 1 } }
  it.each<[string, string, object]>([
    ['another value', 'ask_count', { ...of, name: 'other' }],
    ['one argument less', 'ask_count', { name: 'bound' }],
    ['pairs for an object', 'ask_count', { ...of, more: [['a', 1]] }],
    ['an object under a list’s keys', 'ask_count', { ...of, more: { 0: ['a', 1] } }],
    ['another tool that asks', 'ask_two', of],
    ['another tool that does not', 'echo', { text: 'x' }],
  ])('is refused with %s', async (_, tool, args) => {
    const requestState = await stateOf(server.url, 'ask_count', of)
    const round = { requestState, inputResponses: { confirm: OK } }
    expect(inShort(await callTool(server.url, tool, args, round))).toBe(INVALID_PARAMS)
  })

  it('is taken with the same arguments in another order', async () => {
    const requestState = await stateOf(server.url, 'ask_count', of)
    const round = { requestState, inputResponses: { confirm: OK } }
    const args = { more: { a: 1 }, name: 'bound' }
    expect(inShort(await callTool(server.url, 'ask_count', args, round))).toBe(DONE)
  })

  it('that may be redeemed once is redeemed once, by however many at a time', async () => {
    const requestState = await stateOf(server.url, 'one_time')
    const round = { requestState, inputResponses: { confirm: OK } }
    const calls = Array.from({ length: 20 }, () => callTool(server.url, 'one_time', {}, round))
    const answers = (await Promise.all(calls)).map(inShort)
    expect(answers.filter((answer) => answer === 'accept')).toHaveLength(1)
    expect(answers.filter((answer) => answer === INVALID_PARAMS)).toHaveLength(19)
  })

  it('that may be redeemed once cannot be left out', async () => {
    const round = { inputResponses: { confirm: OK } }
    expect(inShort(await callTool(server.url, 'one_time', {}, round))).toBe(INVALID_PARAMS)
  })
})
