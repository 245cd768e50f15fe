/** What the differences of the entries of two contracts are called: of tools, prompts, resources and events. */
import { describe, expect, it } from 'vitest'
import { contractText, readContract } from '../../src/contract/contract-file.ts'
import { contractOf, deprecated, differences, tool } from './surfaces.ts'

describe('differences of tools', () => {
  it.each([
    ['a new tool', [tool('a')], [tool('a'), tool('b')], ['additive: tool "b" is new']],
    ['a removed tool', [tool('a'), tool('b')], [tool('b')], ['breaking: tool "a" is removed']],
    [
      'a description and a title',
      [tool('a')],
      [tool('a', { description: 'Other.', title: 'A' })],
      ['textual: tool "a": description is another', 'textual: tool "a": title is another'],
    ],
    [
      'a new output schema',
      [tool('a')],
      [tool('a', { outputSchema: { type: 'object' } })],
      ['additive: tool "a": result is described by a schema now'],
    ],
    [
      'a removed output schema',
      [tool('a', { outputSchema: { type: 'object' } })],
      [tool('a')],
      ['breaking: tool "a": result has no schema any more: clients read structuredContent by it'],
    ],
    [
      'tasks that are required',
      [tool('a', { execution: { taskSupport: 'optional' } })],
      [tool('a', { execution: { taskSupport: 'required' } })],
      [
        'breaking: tool "a": execution.taskSupport is "required" now: clients without tasks cannot call it',
      ],
    ],
    [
      'tasks that are not possible any more',
      [tool('a', { execution: { taskSupport: 'optional' } })],
      [tool('a')],
      [
        'breaking: tool "a": execution.taskSupport is "forbidden" now: a call that asks for a task is refused',
      ],
    ],
    [
      'tasks that are forbidden with more words',
      [tool('a')],
      [tool('a', { execution: { taskSupport: 'forbidden' } as never })],
      ['textual: tool "a" is written in another way'],
    ],
    [
      'an annotation that no client knows',
      [tool('a')],
      [tool('a', { annotations: { priority: 1 } as never })],
      ['textual: tool "a" is written in another way'],
    ],
    [
      'a view',
      [tool('a', { _meta: { ui: { resourceUri: 'ui://a' }, other: 1 } })],
      [tool('a', { _meta: { ui: { resourceUri: 'ui://b' }, other: 2 } })],
      [
        'breaking: tool "a": _meta.ui has another view: ui://b instead of ui://a',
        'textual: tool "a": _meta.other is another',
      ],
    ],
    [
      'an argument with a header',
      [tool('a', { inputSchema: { type: 'object', properties: { r: { type: 'string' } } } })],
      [
        tool('a', {
          inputSchema: {
            type: 'object',
            properties: { r: { type: 'string', 'x-mcp-header': 'R' } },
          },
        }),
      ],
      [
        'breaking: tool "a": argument r has another x-mcp-header: clients send the header of the list that they hold',
      ],
    ],
  ])('name %s', (_, before, after, expected) => {
    expect(differences({ tools: before }, { tools: after })).toEqual(expected)
  })

  it('name a tool that is renamed, with what to do', () => {
    expect(differences({ tools: [tool('a')] }, { tools: [{ ...tool('a'), name: 'z' }] })).toEqual([
      'breaking: tool "a" is removed; "z", which is new, looks like its new name. Keep the old name with deprecated: { use: "z", until: \'YYYY-MM-DD\' }',
      'additive: tool "z" is new',
    ])
  })

  it.each([
    ['readOnlyHint', true, false, 'breaking'],
    ['readOnlyHint', true, undefined, 'breaking'],
    ['readOnlyHint', false, true, 'additive'],
    ['readOnlyHint', undefined, false, 'textual'],
    ['destructiveHint', false, true, 'breaking'],
    ['destructiveHint', false, undefined, 'breaking'],
    ['destructiveHint', true, false, 'additive'],
    ['idempotentHint', true, false, 'breaking'],
    ['openWorldHint', false, true, 'breaking'],
    ['openWorldHint', undefined, true, 'textual'],
    ['title', 'A', 'B', 'textual'],
  ])('call %s from %s to %s %s %s', (hint, before, after, kind) => {
    const [first, ...others] = differences(
      { tools: [tool('a', { annotations: { [hint]: before } })] },
      { tools: [tool('a', { annotations: { [hint]: after } })] },
    )
    expect(first).toMatch(new RegExp(`^${kind}: tool "a": annotations\\.${hint} `))
    expect(others).toEqual([])
  })

  it('name another dialect of several schemas once, and of one schema at its place', () => {
    const dialect = ($schema: string) => ({ type: 'object' as const, $schema })
    const toolsOf = (names: readonly string[], $schema: string) =>
      names.map((name) =>
        tool(name, { inputSchema: dialect($schema), outputSchema: dialect($schema) }),
      )
    const [old, now] = [
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2020-12/schema',
    ]
    expect(
      differences({ tools: toolsOf(['a', 'b'], old) }, { tools: toolsOf(['a', 'b', 'c'], now) }),
    ).toEqual(['textual: server: $schema is another in 4 schemas', 'additive: tool "c" is new'])
    const one = ($schema: string) => [tool('a', { inputSchema: dialect($schema) })]
    expect(differences({ tools: one(old) }, { tools: one(now) })).toEqual([
      'textual: tool "a": inputSchema has another $schema',
    ])
  })

  it('name a tool that leaves the list for those that a search finds', () => {
    const tools = [tool('a'), tool('b')]
    expect(differences({ tools }, { tools, hidden: ['b'] })).toEqual([
      'textual: tool "b" is not listed any more, and still answers',
    ])
    expect(contractOf({ tools, hidden: ['b'] }).servers[0]?.bytes).toBe(
      contractOf({ tools: [tool('a')] }).servers[0]?.bytes,
    )
  })

  it('name scopes that are needed now, and those that are not', () => {
    const needing = (...scopes: string[]) => ({
      tools: [tool('a')],
      prompts: [{ name: 'p' }],
      scopes: { tools: { a: scopes }, prompts: { p: ['read'] } },
    })
    expect(differences(needing('write', 'read'), needing('read', 'write'))).toEqual([])
    expect(differences(needing('read'), needing('write'))).toEqual([
      'breaking: tool "a": scope write is required now: tokens without it are refused',
      'additive: tool "a": scope read is not required any more',
    ])
    const contract = contractOf(needing('read'))
    expect(readContract(contractText(contract))).toMatchObject({ isIntact: true, contract })
  })

  it('ignore hints about effects of a tool that only reads', () => {
    const reads = (destructiveHint: boolean) =>
      tool('a', { annotations: { readOnlyHint: true, destructiveHint } })
    expect(differences({ tools: [reads(false)] }, { tools: [reads(true)] })).toEqual([
      'textual: tool "a": annotations.destructiveHint is true now',
    ])
  })
})

describe('differences of deprecated tools', () => {
  const now = tool('current')
  const only = (before: object[], after: object[]) =>
    differences({ tools: [now, ...before] as never }, { tools: [now, ...after] as never })

  it('name the announcement, and no other description', () => {
    expect(only([tool('old')], [deprecated('old', '2027-06-30')])).toEqual([
      'textual: tool "old" is deprecated: current replaces it, and it is removed after 2027-06-30',
    ])
  })

  it('allow the removal of a tool whose date has passed', () => {
    expect(only([deprecated('old', '2027-02-28')], [])).toEqual([
      'announced: tool "old" is removed, as announced for the time after 2027-02-28',
    ])
  })

  it.each(['2027-03-01', '2027-06-30'])('call a removal breaking until %s is over', (until) => {
    expect(only([deprecated('old', until)], [])).toEqual([
      `breaking: tool "old" is removed before the announced day ${until} is over`,
    ])
  })

  it('call an earlier date breaking, and a later one textual', () => {
    const [early, late] = [deprecated('old', '2027-06-30'), deprecated('old', '2027-07-31')]
    expect(only([late], [early])).toEqual([
      'breaking: tool "old" is removed after 2027-06-30 now, and 2027-07-31 was announced',
    ])
    expect(only([early], [late])).toEqual(['textual: tool "old" is removed after 2027-07-31 now'])
  })

  it('name a tool that leaves the list and still answers', () => {
    const old = deprecated('old', '2027-06-30')
    expect(differences({ tools: [old] }, { tools: [], unlisted: [old] })).toEqual([
      'textual: tool "old" is not listed any more, and still answers',
    ])
    expect(differences({ unlisted: [old] }, {})).toEqual([
      'breaking: tool "old" is removed before the announced day 2027-06-30 is over',
    ])
  })
})

describe('differences of other lists', () => {
  it('name arguments of prompts', () => {
    const prompt = (...args: object[]) => ({ prompts: [{ name: 'p', arguments: args as never }] })
    const before = prompt({ name: 'a' }, { name: 'b', required: true }, { name: 'c' })
    const after = prompt(
      { name: 'a', required: true },
      { name: 'b' },
      { name: 'd' },
      { name: 'e', required: true },
    )
    expect(differences(before, after)).toEqual([
      'breaking: prompt "p": argument c is removed',
      'breaking: prompt "p": argument a is required now',
      'additive: prompt "p": argument b is not required any more',
      'additive: prompt "p": argument d is new',
      'breaking: prompt "p": argument e is new and required',
    ])
  })

  it('name URIs, media types and templates', () => {
    const resource = (uri: string, mimeType?: string) => ({
      name: 'r',
      uri,
      ...(mimeType && { mimeType }),
    })
    expect(
      differences(
        { resources: [resource('r://1', 'text/plain'), resource('r://2')] },
        { resources: [resource('r://1', 'application/json'), resource('r://3', 'text/html')] },
      ),
    ).toEqual([
      'breaking: resource "r://2" is removed',
      'additive: resource "r://3" is new',
      'breaking: resource "r://1": mimeType is application/json instead of text/plain',
    ])
    const templates = (uriTemplate: string) => ({ resourceTemplates: [{ name: 't', uriTemplate }] })
    expect(differences(templates('t://{id}'), templates('t://{id}{?page}'))).toEqual([
      'additive: resource template "t://{id}" is t://{id}{?page} now, whose query may be absent',
    ])
    expect(differences(templates('t://{id}'), templates('t://{key}'))).toEqual([
      'breaking: resource template "t://{id}" is removed; "t://{key}", which is new, looks like its new name',
      'additive: resource template "t://{key}" is new',
    ])
  })

  it('name modes, arguments and payloads of events', () => {
    const event = (delivery: string[], input: object, payload: object) => ({
      events: [
        {
          name: 'e',
          description: 'E',
          delivery: delivery as never,
          inputSchema: { type: 'object', properties: input } as never,
          payloadSchema: { type: 'object', properties: payload } as never,
        },
      ],
    })
    expect(
      differences(
        event(['poll', 'push'], { a: { type: 'integer' } }, { b: { type: 'number' } }),
        event(['poll', 'webhook'], { a: { type: 'number' } }, { b: { type: 'string' } }),
      ),
    ).toEqual([
      'breaking: event "e": delivery has no push any more',
      'additive: event "e": delivery has webhook too',
      'additive: event "e": argument a accepts number too',
      'breaking: event "e": payload b may be string now',
    ])
  })
})
