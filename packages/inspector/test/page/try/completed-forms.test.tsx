/** The forms of prompts and resource templates, with completion. */
import { fireEvent, screen, waitFor } from '@testing-library/preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { press, textOf, type } from '../support/controls.ts'
import { type McpRequest, refusal } from '../support/played-server.ts'
import { callsOf, openTry } from './open-try.tsx'

const ARGUMENTS = [
  { name: 'topic', title: 'Topic', description: 'What it is about', required: true },
  { name: 'tone', required: 'yes' },
]

let completion: (request: McpRequest) => unknown

beforeEach(() => {
  completion = () => ({ completion: { values: ['rain', 'rainbow'] } })
})

async function openItem(path: string, lists: object, capabilities: object = { completions: {} }) {
  const recorded = openTry({
    path,
    results: {
      'server/discover': { capabilities: { prompts: {}, resources: {}, ...capabilities } },
      'completion/complete': (request: McpRequest) => completion(request),
      'prompts/get': { messages: [] },
      'resources/read': { contents: [] },
      ...lists,
    },
  })
  await screen.findByText('Definition')
  return recorded
}

const openPrompt = (prompt: object = { arguments: ARGUMENTS }, capabilities?: object) =>
  openItem(
    '/prompts/write',
    { 'prompts/list': { prompts: [{ name: 'write', ...prompt }] } },
    capabilities,
  )

const openTemplate = (uriTemplate: string) =>
  openItem(`/templates/${encodeURIComponent(uriTemplate)}`, {
    'resources/templates/list': { resourceTemplates: [{ uriTemplate, name: 'Notes' }] },
  })

const suggestions = (label: string | RegExp) => {
  const list = document.getElementById(screen.getByLabelText(label).getAttribute('list') ?? '')
  return [...(list?.querySelectorAll('option') ?? [])].map(({ value }) => value)
}

/** A person enters a text in an input with the focus. */
function enter(label: string | RegExp, value: string): void {
  fireEvent.focus(screen.getByLabelText(label))
  type(label, value)
}

describe('the form of a prompt', () => {
  it('has an input for each argument', async () => {
    await openPrompt()
    const topic = screen.getByLabelText<HTMLInputElement>('Topic required')
    const description = document.getElementById(topic.getAttribute('aria-describedby') ?? '')
    expect([topic.required, textOf(description)]).toEqual([true, 'What it is about'])
    const tone = screen.getByLabelText<HTMLInputElement>('tone')
    expect(tone.required).toBe(false)
  })

  it('sends the arguments that have a value', async () => {
    const recorded = await openPrompt()
    type(/^Topic/, 'rain')
    type('tone', 'calm')
    press('Get the prompt')
    await screen.findByText(/^Done/)
    type('tone', '')
    press('Get the prompt')
    await waitFor(() => expect(callsOf(recorded, 'prompts/get')).toHaveLength(2))
    expect(callsOf(recorded, 'prompts/get').map(({ params }) => params)).toMatchObject([
      { name: 'write', arguments: { topic: 'rain', tone: 'calm' } },
      { name: 'write', arguments: { topic: 'rain' } },
    ])
    expect(callsOf(recorded, 'prompts/get')[1]?.params.arguments).toEqual({ topic: 'rain' })
  })

  it.each([{}, { arguments: 'odd' }])('of %j has a button alone', async (prompt) => {
    const recorded = await openPrompt(prompt)
    expect(document.querySelectorAll('.detail input')).toHaveLength(0)
    press('Get the prompt')
    await screen.findByText(/^Done/)
    expect(callsOf(recorded, 'prompts/get')[0]?.params.arguments).toEqual({})
  })
})

describe('the completion of an argument', () => {
  it('is requested when the person stops, with the other arguments', async () => {
    const recorded = await openPrompt()
    type('tone', 'calm')
    enter(/^Topic/, 'r')
    type(/^Topic/, 'ra')
    await waitFor(() => expect(suggestions(/^Topic/)).toEqual(['rain', 'rainbow']))
    const requests = callsOf(recorded, 'completion/complete').map(({ params }) => params)
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({
      ref: { type: 'ref/prompt', name: 'write' },
      argument: { name: 'topic', value: 'ra' },
      context: { arguments: { tone: 'calm' } },
    })
    expect(suggestions('tone')).toEqual([])
  })

  it('has no context where there are no other arguments', async () => {
    const recorded = await openPrompt()
    enter('tone', 'c')
    await waitFor(() => expect(suggestions('tone')).toHaveLength(2))
    const [request] = callsOf(recorded, 'completion/complete')
    expect(request?.params.argument).toEqual({ name: 'tone', value: 'c' })
    expect('context' in (request?.params ?? {})).toBe(false)
  })

  it('is none after a refusal, or an answer without values', async () => {
    const recorded = await openPrompt()
    enter('tone', 'c')
    await waitFor(() => expect(suggestions('tone')).toHaveLength(2))
    completion = () => refusal('no')
    type('tone', 'ca')
    await waitFor(() => expect(suggestions('tone')).toEqual([]))
    completion = () => ({})
    type('tone', 'cal')
    await waitFor(() => expect(callsOf(recorded, 'completion/complete')).toHaveLength(3))
    expect(suggestions('tone')).toEqual([])
  })

  it.each([
    ['the server has none', {}, true],
    ['the input never had the focus', { completions: {} }, false],
  ])('is not requested where %s', async (_, capabilities, isFocused) => {
    const recorded = await openPrompt(undefined, capabilities)
    if (isFocused) enter('tone', 'c')
    else type('tone', 'c')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(callsOf(recorded, 'completion/complete')).toEqual([])
  })
})

describe('the form of a resource template', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['note://{id}', { id: 'a b' }, 'note://a%20b'],
    ['note://{id}{?tag,lang}', { id: '1', lang: 'de' }, 'note://1?lang=de'],
    ['note://{+path}', { path: 'a/b' }, 'note://a/b'],
    ['note://x{/parts*}', { parts: 'a,b' }, 'note://x/a/b'],
    ['note://x{/parts}', { parts: 'a,b' }, 'note://x/a%2Cb'],
  ])('%s with %j shows and reads %s', async (template, values, uri) => {
    const recorded = await openTemplate(template)
    for (const [name, value] of Object.entries(values)) type(name, value)
    expect(screen.getByText(uri)).toBeTruthy()
    press('Read')
    await screen.findByText(/^Done/)
    expect(callsOf(recorded, 'resources/read')[0]?.params.uri).toBe(uri)
  })

  it('completes its variables', async () => {
    const recorded = await openTemplate('note://{id}')
    enter('id', 'r')
    await waitFor(() => expect(suggestions('id')).toHaveLength(2))
    expect(callsOf(recorded, 'completion/complete')[0]?.params.ref).toEqual({
      type: 'ref/resource',
      uri: 'note://{id}',
    })
  })

  it('that cannot be expanded says so', async () => {
    await openTemplate('note://{')
    expect(screen.getByText('This template cannot be expanded')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Read' })).toBeNull()
  })
})
