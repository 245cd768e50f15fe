/** Input responses and request states that no conforming client sends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { verifies } from '../support/verifies.ts'
import { callTool, stateOf } from './modern.ts'
import { outcomeOf } from './outcome.ts'

const OK = { action: 'accept', content: { ok: true } }
const DONE = '{"action":"accept","ok":true}'
const INVALID_PARAMS = -32602

let server: FixtureServer
beforeAll(async () => {
  server = await startFixtureServer()
})
afterAll(() => server?.stop())

describe('the answer to an elicitation', () => {
  const filler = 'x'.repeat(3_000_000)
  it.each([
    ['null', null, 'asks confirm'],
    ['a string', 'accept', 'asks confirm'],
    ['an array that contains an answer', [OK], 'asks confirm'],
    ['an object without an action', {}, 'asks confirm'],
    ['an object with an unknown action', { action: 'yes' }, 'asks confirm'],
    ['an object with the action __proto__', { action: '__proto__' }, 'asks confirm'],
    ['an acceptance without content', { action: 'accept' }, 'asks confirm'],
    ['an acceptance whose content is an array', { action: 'accept', content: [] }, 'asks confirm'],
    [
      'an acceptance with a string for a boolean',
      { action: 'accept', content: { ok: 'true' } },
      'asks confirm',
    ],
    ['the answer to a sampling request', { role: 'user', model: 'm', content: OK }, 'asks confirm'],
    ['a list of roots', { roots: [] }, 'asks confirm'],
    [
      'an acceptance with an unknown member',
      { action: 'accept', content: { ok: true, more: 1 } },
      DONE,
    ],
    [
      'an acceptance with an unknown member of 3 MB',
      { action: 'accept', content: { ok: true, filler } },
      DONE,
    ],
    ['a refusal with content', { ...OK, action: 'decline' }, '{"action":"decline","ok":null}'],
  ])('has the outcome $2 when it is %s', async (_, confirm, expected) => {
    const requestState = await stateOf(server.url, 'ask_count', { name: 'form' })
    const round = { requestState, inputResponses: { confirm } }
    expect(outcomeOf(await callTool(server.url, 'ask_count', { name: 'form' }, round))).toBe(
      expected,
    )
  })
})

describe('the answer to a sampling request', () => {
  const base = { role: 'assistant', model: 'm' }
  const text = { type: 'text', text: 'Hi' }
  it.each([
    ['one text block', { ...base, content: text }, 'Hi'],
    ['an array of blocks', { ...base, content: [text, text] }, 'Hi\nHi'],
    ['an array in an array', { ...base, content: [[text]] }, 'asks again'],
    ['an empty array', { ...base, content: [] }, 'asks again'],
    ['a block with the type __proto__', { ...base, content: { type: '__proto__' } }, 'asks again'],
    ['a message without a role', { model: 'm', content: text }, 'asks again'],
    [
      'a tool_use block without input',
      { ...base, content: { type: 'tool_use', id: '1', name: 'add' } },
      'asks again',
    ],
  ])('has the outcome $2 when it is %s', async (_, answer, expected) => {
    const args = { prompt: 'Say hi' }
    const { result } = await callTool(server.url, 'sample_once', args)
    const [key = ''] = Object.keys(result?.inputRequests ?? {})
    const round = { requestState: result?.requestState, inputResponses: { [key]: answer } }
    const got = outcomeOf(await callTool(server.url, 'sample_once', args, round))
    expect(got === `asks ${key}` ? 'asks again' : got).toBe(expected)
  })
})

describe('inputResponses', () => {
  const hostile = JSON.parse('{"__proto__":{"confirm":{"action":"accept"}},"constructor":1}')
  it.each<[string, unknown, string | number]>([
    ['an array', [], INVALID_PARAMS],
    ['null', null, INVALID_PARAMS],
    ['a string', 'confirm', INVALID_PARAMS],
    ['an empty object', {}, 'asks confirm'],
    ['an object with the keys __proto__ and constructor', hostile, 'asks confirm'],
    ['an object with an unknown key beside the right one', { never: OK, confirm: OK }, DONE],
  ])('has the outcome $2 when it is %s', async (_, inputResponses, expected) => {
    const requestState = await stateOf(server.url, 'ask_count', { name: 'whole' })
    const round = { requestState, inputResponses }
    const answer = await callTool(server.url, 'ask_count', { name: 'whole' }, round)
    expect(outcomeOf(answer)).toBe(expected)
  })

  it.each([
    ['150,000 characters', 'x'.repeat(150_000)],
    ['40,000 characters of three bytes', '漢'.repeat(40_000)],
  ])('is refused when %s do not fit into the state of the next ask', async (_, name) => {
    const requestState = await stateOf(server.url, 'ask_two')
    const round = {
      requestState,
      inputResponses: { name: { action: 'accept', content: { name } } },
    }
    expect(outcomeOf(await callTool(server.url, 'ask_two', {}, round))).toBe(INVALID_PARAMS)
  })

  it('is accepted with 150,000 characters when no ask follows', async () => {
    const color = { action: 'accept', content: { color: 'x'.repeat(150_000) } }
    const name = { action: 'accept', content: { name: 'Ada' } }
    const answer = await callTool(server.url, 'ask_two', {}, { inputResponses: { name, color } })
    expect(outcomeOf(answer)).toBe(`Ada likes ${color.content.color}`)
  })
})

describe('requestState', () => {
  const alterations: [string, (state: string) => unknown][] = [
    ['null', () => null],
    ['a number', () => 1],
    ['an empty string', () => ''],
    ['an object', () => ({})],
    ['a string of 3 MB', () => 'x'.repeat(3_000_000)],
    ['one character too short', (state) => state.slice(0, -1)],
    ['padded like base64', (state) => `${state}=`],
    ['followed by a line feed', (state) => `${state}\n`],
    ['sealed with another key id', (state) => `${state[0]}AAAAAAAA${state.slice(9)}`],
    ['of another seal version', (state) => `2${state.slice(1)}`],
    ['the state twice', (state) => state + state],
  ]
  it.each(alterations)('is refused when it is %s', async (_, alter) => {
    verifies('mrtr/state-is-untrusted')
    const state = await stateOf(server.url, 'ask_count', { name: 'state' })
    const round = { requestState: alter(state), inputResponses: { confirm: OK } }
    const answer = await callTool(server.url, 'ask_count', { name: 'state' }, round)
    expect(outcomeOf(answer)).toBe(INVALID_PARAMS)
  })

  const of = { name: 'bound', more: { a: 1 } }
  it.each<[string, string, object]>([
    ['another argument value', 'ask_count', { ...of, name: 'other' }],
    ['one argument less', 'ask_count', { name: 'bound' }],
    ['an array of pairs instead of an object', 'ask_count', { ...of, more: [['a', 1]] }],
    ['an object whose keys are array indexes', 'ask_count', { ...of, more: { 0: ['a', 1] } }],
    ['another tool that asks', 'ask_two', of],
    ['another tool that does not ask', 'echo', { text: 'x' }],
  ])('is refused for a call with %s', async (_, tool, args) => {
    const requestState = await stateOf(server.url, 'ask_count', of)
    const round = { requestState, inputResponses: { confirm: OK } }
    expect(outcomeOf(await callTool(server.url, tool, args, round))).toBe(INVALID_PARAMS)
  })

  it('is accepted for the same arguments in another order', async () => {
    const requestState = await stateOf(server.url, 'ask_count', of)
    const round = { requestState, inputResponses: { confirm: OK } }
    const args = { more: { a: 1 }, name: 'bound' }
    expect(outcomeOf(await callTool(server.url, 'ask_count', args, round))).toBe(DONE)
  })

  it('of a single-use call is redeemed once when 20 requests present it concurrently', async () => {
    verifies('mrtr/single-use-state')
    const requestState = await stateOf(server.url, 'one_time')
    const round = { requestState, inputResponses: { confirm: OK } }
    const calls = Array.from({ length: 20 }, () => callTool(server.url, 'one_time', {}, round))
    const answers = (await Promise.all(calls)).map(outcomeOf)
    expect(answers.filter((answer) => answer === 'accept')).toHaveLength(1)
    expect(answers.filter((answer) => answer === INVALID_PARAMS)).toHaveLength(19)
  })

  it('of a single-use call cannot be omitted', async () => {
    verifies('mrtr/single-use-state')
    const round = { inputResponses: { confirm: OK } }
    expect(outcomeOf(await callTool(server.url, 'one_time', {}, round))).toBe(INVALID_PARAMS)
  })
})
