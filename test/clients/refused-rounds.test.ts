/** Asks that the client cannot answer, and request states that the server refuses. */
import {
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
} from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { accept } from '../support/accept.ts'
import { verifies } from '../support/verifies.ts'
import {
  ALL_CAPABILITIES,
  callRound,
  connectAnswering,
  readCount,
  stateOf,
} from './answering-client.ts'
import { connect, MODES, textOf } from './connect.ts'

const NOT_VALID = 'params.requestState is not valid for this request'

interface MissingCapability {
  readonly tool: string
  readonly capabilities: ClientCapabilities
  readonly required: ClientCapabilities
}

describe('a client with limited capabilities', () => {
  test.each<MissingCapability>([
    { tool: 'ask_two', capabilities: {}, required: { elicitation: { form: {} } } },
    {
      tool: 'ask_two',
      capabilities: { elicitation: { url: {} } },
      required: { elicitation: { form: {} } },
    },
    {
      tool: 'ask_url',
      capabilities: { elicitation: {} },
      required: { elicitation: { url: {} } },
    },
    {
      tool: 'ask_url',
      capabilities: { elicitation: { form: {} } },
      required: { elicitation: { url: {} } },
    },
    { tool: 'test_missing_capability', capabilities: {}, required: { sampling: {} } },
    {
      tool: 'sample_with_tools',
      capabilities: { sampling: {} },
      required: { sampling: { tools: {} } },
    },
    { tool: 'list_roots', capabilities: { sampling: {} }, required: { roots: {} } },
  ])(
    'receives the missing capability when it has $capabilities and calls $tool',
    async ({ tool, capabilities, required }) => {
      verifies('meta/missing-capability-is-named', 'sampling/tools-for-capable-clients-only')
      const client = await connect('modern', { client: { capabilities } })
      const call = client.callTool({ name: tool, arguments: { prompt: 'Add.' } })
      await expect(call).rejects.toMatchObject({
        code: -32021,
        data: { requiredCapabilities: required },
      })
      await expect(call).rejects.toBeInstanceOf(MissingRequiredClientCapabilityError)
      await client.close()
    },
  )

  test.each<{ capabilities: ClientCapabilities; keys: readonly string[] }>([
    { capabilities: { elicitation: {} }, keys: ['user_name'] },
    { capabilities: { sampling: {} }, keys: ['greeting'] },
    { capabilities: { roots: {} }, keys: ['client_roots'] },
    { capabilities: { elicitation: { url: {} }, roots: {} }, keys: ['client_roots'] },
    { capabilities: ALL_CAPABILITIES, keys: ['user_name', 'greeting', 'client_roots'] },
  ])('receives only asks that it can answer: $keys', async ({ capabilities, keys }) => {
    verifies('meta/undeclared-capabilities-are-not-used', 'mrtr/undeclared-input-requests')
    const client = await connect('modern', { client: { capabilities } })
    const result = await callRound(client, { name: 'test_input_required_result_capabilities' })
    expect(Object.keys((result as { inputRequests: object }).inputRequests)).toEqual(keys)
    await client.close()
  })

  test.each(MODES)('receives no ask in %s mode when it has no capability', async (mode) => {
    verifies('meta/undeclared-capabilities-are-not-used')
    const client = await connect(mode)
    const result = await client.callTool({ name: 'test_input_required_result_capabilities' })
    expect(textOf(result)).toBe('Nobody to ask.')
    await client.close()
  })

  test('can read resources that do not ask, and receives an error for resources and prompts that do', async () => {
    const client = await connect('modern')
    const refused = { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } }
    await expect(client.readResource({ uri: 'probe://asked/rain' })).rejects.toMatchObject(refused)
    await expect(
      client.getPrompt({ name: 'test_input_required_result_prompt' }),
    ).rejects.toMatchObject(refused)
    expect((await client.readResource({ uri: 'probe://static/a' })).contents).toHaveLength(1)
    await client.close()
  })
})

describe('requestState', () => {
  const tool = { name: 'ask_count', arguments: { name: 'refused' } }
  const inputResponses = { confirm: accept({ ok: true }) }

  test.each([
    { form: 'an empty string', change: () => '' },
    { form: 'base64url text', change: () => 'eyJ9' },
    { form: 'one character too long', change: (state: string) => `${state}A` },
    { form: 'one character too short', change: (state: string) => state.slice(0, -1) },
    {
      form: 'different in one character',
      change: (state: string) => {
        const at = Math.floor(state.length / 2)
        return state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1)
      },
    },
  ])('is refused when it is $form', async ({ change }) => {
    const { client } = await connectAnswering({})
    const requestState = change(await stateOf(client, tool))
    await expect(
      callRound(client, { ...tool, requestState, inputResponses }),
    ).rejects.toMatchObject({ code: -32602, message: NOT_VALID })
    await client.close()
  })

  test('is refused for other arguments and for another tool', async () => {
    const { client } = await connectAnswering({})
    const requestState = await stateOf(client, tool)
    const refused = { code: -32602, message: NOT_VALID }
    const other = { ...tool, arguments: { name: 'other' }, requestState, inputResponses }
    await expect(callRound(client, other)).rejects.toMatchObject(refused)
    const otherTool = { name: 'one_time', requestState, inputResponses }
    await expect(callRound(client, otherTool)).rejects.toMatchObject(refused)
    expect(await callRound(client, { ...tool, requestState, inputResponses })).toMatchObject({
      structuredContent: { action: 'accept', ok: true },
    })
    await client.close()
  })

  test('is accepted on another connection', async () => {
    verifies('statelessness/no-context-of-earlier-requests')
    const { client } = await connectAnswering({})
    const requestState = await stateOf(client, tool)
    await client.close()
    const { client: other } = await connectAnswering({})
    expect(await callRound(other, { ...tool, requestState, inputResponses })).toMatchObject({
      structuredContent: { action: 'accept', ok: true },
    })
    await other.close()
  })

  test('of a single-use call is redeemed once', async () => {
    const { client } = await connectAnswering({})
    const before = await readCount(client, 'one-time')
    const requestState = await stateOf(client, { name: 'one_time' })
    const redeem = () => callRound(client, { name: 'one_time', requestState, inputResponses })
    const refused = {
      code: -32602,
      message: 'params.requestState has been used: it can be redeemed once',
    }
    expect(await redeem()).toMatchObject({ content: [{ type: 'text', text: 'accept' }] })
    await expect(redeem()).rejects.toMatchObject(refused)
    await expect(redeem()).rejects.toMatchObject(refused)
    expect(await readCount(client, 'one-time')).toBe(before + 1)
    await client.close()
  })

  test('of a single-use call is redeemed once by ten concurrent requests', async () => {
    const { client } = await connectAnswering({})
    const before = await readCount(client, 'one-time')
    const requestState = await stateOf(client, { name: 'one_time' })
    const rounds = Array.from({ length: 10 }, () =>
      callRound(client, { name: 'one_time', requestState, inputResponses }),
    )
    const outcomes = (await Promise.allSettled(rounds)).map(({ status }) => status)
    expect(outcomes.filter((status) => status === 'fulfilled')).toHaveLength(1)
    expect(await readCount(client, 'one-time')).toBe(before + 1)
    await client.close()
  })
})
