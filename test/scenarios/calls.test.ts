/** Requests that ask nothing: tools, resources, prompts, completions, progress, log messages and errors. */
import { describe, expect } from 'vitest'
import type { Handler } from '../support/session-server.ts'
import { verifies } from '../support/verifies.ts'
import { type Received, textOf } from './client.ts'
import { ANY, eventually, everyRow, isModern, isOver, scenario } from './scenario.ts'
import { messagesOf } from './wire.ts'

const isOldest = isOver('2024-11-05')
const isWithoutAudio = { on: isOldest, because: '2024-11-05 has no audio' }

/** The code of the error that a request is refused with. The official clients change the message. */
const codeOf = (request: Promise<unknown>) =>
  request.then(
    () => 'no error',
    ({ code }: { readonly code: number }) => code,
  )

describe('a client', () => {
  const IMPLEMENTATION = { name: 'sessions', version: '1.0.0' }
  const TITLED = { ...IMPLEMENTATION, title: 'Sessions' }
  const CHANGING = { listChanged: true }

  scenario('reads how the server introduces itself in its revision', {
    cites: () => {
      verifies('lifecycle/server-introduces-itself', 'lifecycle/supported-version-is-echoed')
      verifies('versioning/discover-is-implemented', 'prompts/capability', 'resources/capability')
      verifies('tools/capability', 'completion/capability', 'logging/capability')
    },
    rows: everyRow,
    does: async ({ client }) => {
      const { completions, ...rest } = client.getServerCapabilities() as Received
      const { icons: _, ...info } = client.getServerVersion() as Received
      const { extensions: _extensions, tasks: _tasks, ...capabilities } = rest
      return [info, client.getInstructions(), completions, capabilities]
    },
    returns: [
      TITLED,
      'Run it well.',
      {},
      {
        logging: {},
        tools: CHANGING,
        prompts: CHANGING,
        resources: { ...CHANGING, subscribe: true },
      },
    ],
    differs: [
      {
        on: isOver('2025-03-26'),
        because: 'titles came with 2025-06-18',
        returns: [IMPLEMENTATION, 'Run it well.', {}, expect.anything()],
      },
      {
        on: isOldest,
        because: 'completions were declared from 2025-03-26',
        returns: [IMPLEMENTATION, 'Run it well.', undefined, expect.anything()],
      },
    ],
  })

  scenario('lists tools, prompts, resources and templates', {
    cites: () => verifies('http-sse/two-endpoints'),
    does: async ({ client }) => {
      const { tools } = await client.listTools()
      const { prompts } = await client.listPrompts()
      const { resources } = await client.listResources()
      const { resourceTemplates } = await client.listResourceTemplates()
      const lists = [tools, prompts, resources, resourceTemplates]
      return [tools[0].inputSchema, ...lists.map((list) => list.map(({ name }: Received) => name))]
    },
    returns: [
      { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      expect.arrayContaining(['echo', 'run', 'add']),
      ['run', 'greet'],
      ['note', 'a', 'bytes'],
      ['item', 'run', 'item'],
    ],
  })

  scenario('receives results in the form of its revision', {
    rows: everyRow,
    does: async ({ call }) => {
      const { content, structuredContent } = await call('add', { a: 1, b: 2 })
      const blocks = (await call('blocks')).content
      const types = blocks.map(({ type }: Received) => type)
      return [
        textOf(await call('echo', { text: 'é\u2028' })),
        content[0].text,
        structuredContent,
        types,
      ]
    },
    returns: ['é\u2028', '{"sum":3}', { sum: 3 }, ['audio', 'resource_link', 'text']],
    differs: [
      {
        on: isOver('2025-03-26'),
        because: 'structured content and links came with 2025-06-18',
        returns: ['é\u2028', '{"sum":3}', undefined, ['audio', 'text', 'text']],
      },
      {
        ...isWithoutAudio,
        returns: ['é\u2028', '{"sum":3}', undefined, ['resource', 'text', 'text']],
      },
    ],
  })

  scenario('receives the reason of a tool that fails, and the code of a request that is refused', {
    does: async ({ call, client, wire }) => {
      const failed = await call('tell')
      const invalid = await call('echo')
      const codes = [
        await codeOf(call('nope')),
        await codeOf(client.getPrompt({ name: 'nope' })),
        await codeOf(client.readResource({ uri: 'sample://nope' })),
      ]
      const errors = messagesOf(wire).flatMap(({ error }) => error ?? [])
      const unknown = errors.find(({ code }) => code === -32602)
      return [failed, invalid.isError, codes, errors.at(-1).code, unknown.message]
    },
    returns: [
      expect.objectContaining({
        content: [{ type: 'text', text: 'The disk is full' }],
        isError: true,
      }),
      true,
      [-32602, -32602, expect.any(Number)],
      -32002,
      'Unknown tool: nope',
    ],
    differs: [
      {
        on: isModern,
        because: '2026-07-28 has one code for what does not exist',
        returns: [
          expect.anything(),
          true,
          [-32602, -32602, expect.any(Number)],
          -32602,
          'Unknown tool: nope',
        ],
      },
    ],
  })

  scenario('reads texts and bytes, and gets a prompt', {
    cites: () => verifies('resources/binary-data-is-encoded'),
    does: async ({ client }) => {
      const read = async (uri: string) => (await client.readResource({ uri })).contents
      const prompt = await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })
      return [
        await read('sample://a'),
        await read('sample://bytes'),
        await read('sample://item/7'),
        prompt.messages,
      ]
    },
    returns: [
      [{ uri: 'sample://a', mimeType: 'text/plain', text: 'is a' }],
      [{ uri: 'sample://bytes', mimeType: 'image/png', blob: 'AAH+/w==' }],
      [{ uri: 'sample://item/7', mimeType: 'text/plain', text: 'item 7' }],
      [{ role: 'user', content: { type: 'text', text: 'Greet Ada' } }],
    ],
  })

  scenario('completes an argument from another one, and a variable of a template', {
    does: async ({ complete }) => {
      const values = async (params: object) => (await complete(params)).completion.values
      const prompt = { type: 'ref/prompt', name: 'greet' }
      const template = { type: 'ref/resource', uri: 'sample://item/{id}' }
      const context = { arguments: { style: 'verse' } }
      return [
        await values({ ref: prompt, argument: { name: 'who', value: 'Ada' }, context }),
        await values({ ref: template, argument: { name: 'id', value: 'b' } }),
      ]
    },
    returns: [['Ada!', 'verse'], ['beta']],
  })

  scenario('receives the progress of concurrent calls in order, each before its result', {
    cites: () => verifies('progress/token-is-unique'),
    does: async ({ call, wire }) => {
      const stepsOf = async (count: number) => {
        const seen: object[] = []
        const onprogress = (progress: object) => void seen.push(progress)
        const result = textOf(await call('steps', { count }, { onprogress }))
        return [result, seen.length]
      }
      const received = await Promise.all([stepsOf(2), stepsOf(3)])
      const tokens = messagesOf(wire).flatMap(({ params }) => params?.progressToken ?? [])
      return [received, new Set(tokens).size]
    },
    returns: [
      [
        ['done', 2],
        ['done', 3],
      ],
      2,
    ],
    notified: expect.arrayContaining([1, 2, 3]) as never,
    differs: [
      {
        on: ({ client, era }) => client === 'SDK v1 over HTTP+SSE' && era === 'http-sse',
        because: 'this client drops progress that it reads together with the result',
        returns: [
          [
            ['done', expect.any(Number)],
            ['done', expect.any(Number)],
          ],
          2,
        ],
      },
    ],
  })

  scenario('receives each of 20 concurrent results', {
    does: async ({ call }) => {
      const texts = Array.from({ length: 20 }, (_, index) => `${index}`)
      const results = await Promise.all(texts.map((text) => call('echo', { text })))
      return results.map(textOf).join() === texts.join()
    },
    returns: true,
  })

  scenario('receives eight million characters', {
    server: () => 'x'.repeat(8_388_608),
    does: async ({ text }) => (await text()).length,
    returns: 8_388_608,
  })

  const FRAMED = 'a\n\nretry: 1\r\rend\u2028\u2029\u0000\ndata: b'
  scenario('receives text that looks like the framing of a stream unchanged', {
    server: async ({ log }) => {
      await log('error', FRAMED)
      return FRAMED
    },
    returns: FRAMED,
    notified: [`error: ${FRAMED}`],
  })
})

describe('a client that sets the level of log messages', () => {
  const LEVELS = ['debug', 'info', 'warning', 'error', 'critical'] as const
  const logsAll: Handler = async ({ log }) => {
    for (const level of LEVELS) await log(level, level)
    return 'done'
  }

  scenario('receives those from info before it has set one', {
    server: logsAll,
    returns: 'done',
    notified: ['info: info', 'warning: warning', 'error: error', 'critical: critical'],
  })

  scenario('receives those from the level that it has set last', {
    needs: ['log level'],
    server: logsAll,
    does: async ({ setLogLevel, run, notices }) => {
      await setLogLevel('error')
      await run()
      await setLogLevel('debug')
      await run()
      return eventually(() => notices().length).toBe(7)
    },
    notified: [...LEVELS.slice(3), ...LEVELS].map((level) => `${level}: ${level}`),
  })
})

describe('a client that cancels a call', () => {
  const aborts: unknown[] = []

  scenario('receives no result, and the tool is aborted', {
    needs: ['cancel'],
    server: async ({ signal, log }) => {
      await log('info', 'started')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      aborts.push(signal.reason.name)
      return 'late'
    },
    does: async ({ run, notices }) => {
      aborts.length = 0
      const controller = new AbortController()
      const called = run(undefined, { signal: controller.signal })
      await eventually(() => notices().length).toBe(1)
      controller.abort(new Error('aborted by the test'))
      await expect(called).rejects.toThrow('aborted by the test')
      await eventually(() => aborts).toEqual(['AbortError'])
    },
    notified: ['info: started'],
    reported: [expect.objectContaining({ type: 'cancelled', method: 'tools/call' })],
  })

  let started = 0

  scenario('that has sent nothing receives no result, and the tool is aborted', {
    needs: ['cancel'],
    server: async ({ signal }) => {
      started++
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      aborts.push(signal.reason.name)
      return 'late'
    },
    does: async ({ run }) => {
      aborts.length = 0
      started = 0
      const controller = new AbortController()
      const called = run(undefined, { signal: controller.signal })
      await eventually(() => started).toBe(1)
      controller.abort(new Error('aborted by the test'))
      await expect(called).rejects.toThrow('aborted by the test')
      await eventually(() => aborts).toEqual(['AbortError'])
    },
    reported: ANY,
    errors: ANY,
  })

  scenario('receives the cancellation of its open ask, and its later answer has no effect', {
    needs: ['session', 'ping'],
    capabilities: { elicitation: { form: {} } },
    answers: () =>
      new Promise<object>((resolve) => setTimeout(() => resolve({ action: 'cancel' }), 60)),
    server: async ({ elicit }) => (await elicit({ message: 'Who?', schema: {} })).action,
    does: async ({ run, client, ...stage }) => {
      const controller = new AbortController()
      const called = run(undefined, { signal: controller.signal })
      await eventually(() => stage.asked().length).toBe(1)
      controller.abort(new Error('aborted by the test'))
      await expect(called).rejects.toThrow('aborted by the test')
      await new Promise((resolve) => setTimeout(resolve, 100))
      return client.ping()
    },
    returns: {},
    asked: ANY,
    notified: ['The request was cancelled'],
    reported: ANY,
    differs: [
      {
        on: ({ client, era }) => client === 'edgeway/testing' && era === 'session',
        because: 'edgeway/testing leaves the stream of a call that it cancels',
        notified: [],
      },
    ],
  })
})

describe('a client of 2026-07-28', () => {
  const MIRRORED = [
    [
      { region: 'eu-west', level: 3, dry: false, target: { zone: 'a' } },
      { dry: 'false', level: '3', region: 'eu-west', zone: 'a' },
    ],
    [
      { region: 'Ünï', target: { zone: ' a ' } },
      { region: '=?base64?w5xuw68=?=', zone: '=?base64?IGEg?=' },
    ],
    [{ region: '=?base64?SGVsbG8=?=' }, { region: '=?base64?PT9iYXNlNjQ/U0dWc2JHOD0/PQ==?=' }],
    [{}, {}],
  ] as const

  scenario('mirrors arguments of every type and alphabet in headers, and others send none', {
    cites: () => {
      verifies('request-headers/param-headers-are-supported')
      verifies('request-headers/param-headers-are-sent', 'request-headers/param-values-are-encoded')
      verifies('request-headers/unsafe-values-are-base64')
      verifies('request-headers/ambiguous-values-are-encoded')
    },
    does: async ({ client, call, wire }) => {
      await client.listTools()
      const results: unknown[] = []
      for (const [args] of MIRRORED) results.push(JSON.parse(textOf(await call('routed', args))))
      const calls = wire.exchanges.filter(({ body }) => body.includes('"name":"routed"'))
      const sent = calls.map(({ headers }) =>
        [...headers].flatMap(([name, value]) =>
          name.startsWith('mcp-param-') ? [[name.slice('mcp-param-'.length), value]] : [],
        ),
      )
      const headers = sent.filter(({ length }) => length > 0)
      return [results, headers.map((entries) => Object.fromEntries(entries))]
    },
    returns: [MIRRORED.map(([args]) => args), []],
    differs: [
      {
        on: isModern,
        because: 'the headers came with 2026-07-28',
        returns: [
          MIRRORED.map(([args]) => args),
          MIRRORED.slice(0, -1).map(([, headers]) => headers),
        ],
      },
    ],
  })
})
