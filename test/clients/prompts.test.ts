/** Prompts, and completions for prompt arguments and template variables. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { connect, MODES } from './connect.ts'

const WITH_ARGUMENTS = 'test_prompt_with_arguments'

describe.each(MODES)('a client in %s mode', (mode) => {
  let client: Client

  beforeAll(async () => {
    client = await connect(mode)
  })
  afterAll(() => client.close())

  test('lists the prompts with their arguments', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts).toEqual([
      {
        name: 'test_simple_prompt',
        title: 'Simple prompt',
        description: 'A prompt without arguments.',
      },
      {
        name: WITH_ARGUMENTS,
        description: 'A prompt with two arguments; the second is suggested from the first.',
        arguments: [
          { name: 'arg1', description: 'First argument', required: true },
          { name: 'arg2', description: 'Second argument', required: true },
        ],
      },
      {
        name: 'test_prompt_with_embedded_resource',
        description: 'A prompt that carries a resource.',
        arguments: [{ name: 'resourceUri', description: 'URI of the resource', required: true }],
      },
      { name: 'test_prompt_with_image', description: 'A prompt that carries an image.' },
      {
        name: 'test_input_required_result_prompt',
        description: 'A prompt that asks a person for its context.',
      },
    ])
  })

  test('gets a prompt without arguments', async () => {
    const { messages, description } = await client.getPrompt({ name: 'test_simple_prompt' })
    expect(description).toBe('A prompt without arguments.')
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'This is a simple prompt for testing.' } },
    ])
  })

  test('gets a prompt with arguments', async () => {
    const { messages } = await client.getPrompt({
      name: WITH_ARGUMENTS,
      arguments: { arg1: 'one', arg2: "it's two" },
    })
    const text = "Prompt with arguments: arg1='one', arg2='it's two'"
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text } }])
  })

  test('gets a prompt with an embedded resource', async () => {
    verifies('prompts/embedded-resource')
    const { messages } = await client.getPrompt({
      name: 'test_prompt_with_embedded_resource',
      arguments: { resourceUri: 'test://example' },
    })
    expect(messages).toEqual([
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: 'test://example',
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
      },
      {
        role: 'user',
        content: { type: 'text', text: 'Please process the embedded resource above.' },
      },
    ])
  })

  test('gets a prompt with an image', async () => {
    verifies('prompts/image-content')
    const { messages } = await client.getPrompt({ name: 'test_prompt_with_image' })
    expect(messages.map(({ content }) => content.type)).toEqual(['image', 'text'])
  })

  test('receives an error that names a missing argument', async () => {
    await expect(
      client.getPrompt({ name: WITH_ARGUMENTS, arguments: { arg1: 'one' } }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('arg2') })
  })

  test('receives an error for a prompt that does not exist', async () => {
    await expect(client.getPrompt({ name: 'nope' })).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown prompt: nope',
    })
  })

  test('receives completions for a prompt argument', async () => {
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: WITH_ARGUMENTS },
      argument: { name: 'arg1', value: 'test' },
    })
    expect(completion).toEqual({ values: ['testing', 'tested', 'test'], total: 3, hasMore: false })
  })

  test('receives completions that depend on another argument', async () => {
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: WITH_ARGUMENTS },
      argument: { name: 'arg2', value: 'toast-' },
      context: { arguments: { arg1: 'toast' } },
    })
    expect(completion.values).toEqual(['toast-one', 'toast-two'])
  })

  test.each([
    ['', ['alpha', 'beta', 'gamma']],
    ['b', ['beta']],
    ['x', []],
  ])('receives completions for a template variable that starts with %j', async (value, values) => {
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'probe://item/{id}' },
      argument: { name: 'id', value },
    })
    expect(completion.values).toEqual(values)
  })

  test.each([
    { ref: { type: 'ref/prompt' as const, name: 'nope' }, name: 'arg1' },
    { ref: { type: 'ref/prompt' as const, name: WITH_ARGUMENTS }, name: 'arg3' },
    { ref: { type: 'ref/resource' as const, uri: 'probe://nope/{id}' }, name: 'id' },
  ])(
    'receives an error for completions of $name of $ref, which does not exist',
    async ({ ref, name }) => {
      await expect(client.complete({ ref, argument: { name, value: '' } })).rejects.toMatchObject({
        code: -32602,
      })
    },
  )
})
