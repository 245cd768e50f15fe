/** Elicitation, sampling and roots: within the call of a session, and in the rounds of a modern call. */
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { accept } from '../support/accept.ts'
import { createLatch } from '../support/latch.ts'
import { keepHandler } from '../support/session-server.ts'
import { verifies } from '../support/verifies.ts'
import {
  ASKED_NAME,
  ASKED_NAME_BEFORE,
  ASKS_NAME,
  asked,
  isBeforeRichAsks,
  NAME,
} from './asks-name.ts'
import { textOf } from './client.ts'
import { ANY, eventually, everyRow, isOver, scenario } from './scenario.ts'

const hasRichAsks = isOver('2026-07-28', '2025-11-25')
const isSession = isOver('2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05')
const isWithoutSession = ({ client }: { readonly client: string }) => client.endsWith('session id')

const CANNOT_ASK =
  'The server cannot ask on this connection: it carries no questions. It does in a session whose client accepts text/event-stream, and in the newest revision. Do not repeat the call here: tell the person.'

describe('a client that is asked to open a URL', () => {
  const login = { message: 'Log in', url: 'https://x.example/login?a=1' }
  const opened = (elicitationId: unknown) => [
    asked('elicitation/create', { mode: 'url', ...login, elicitationId }),
  ]
  scenario('answers, and the elicitation has an id', {
    rows: everyRow,
    cites: () => verifies('elicitation/parameters', 'elicitation/url-parameters'),
    server: async ({ elicit }) => (await elicit(login)).action,
    answers: [{ action: 'accept' }],
    returns: 'accept',
    asked: opened(expect.stringMatching(/^[\x21-\x7e]{16,256}$/)),
  })

  scenario('receives the id that the tool has chosen', {
    server: async ({ elicit }) => (await elicit({ ...login, elicitationId: 'login-1' })).action,
    answers: [{ action: 'decline' }],
    returns: 'decline',
    asked: opened('login-1'),
  })
})

describe('a client that is asked for a sample', () => {
  const text = (words: string) => ({ type: 'text', text: words }) as const
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
  const rest = {
    maxTokens: 100,
    systemPrompt: 'Be brief',
    modelPreferences: { hints: [{ name: 'small' }], speedPriority: 1 },
    temperature: 0.5,
    stopSequences: ['.'],
    metadata: { trace: 'a' },
  }
  const messages = [
    { role: 'user', content: text('One') },
    { role: 'user', content: [text('Two'), image] },
    { role: 'assistant', content: text('Three') },
  ] as const
  const answer = { role: 'assistant', content: text('Four'), model: 'm-1', stopReason: 'endTurn' }

  scenario('receives the request in the form of its revision, and the tool its answer', {
    rows: everyRow,
    cites: () => verifies('sampling/messages-have-role-and-content'),
    server: async ({ sample }) => {
      const { model, role, content, stopReason } = await sample({ messages, ...rest })
      return JSON.stringify({ role, content, model, stopReason })
    },
    answers: [answer],
    returns: JSON.stringify(answer),
    asked: [asked('sampling/createMessage', { messages, ...rest })],
    differs: [
      {
        on: isBeforeRichAsks,
        because: 'several blocks in one message came with 2025-11-25',
        asked: [
          asked('sampling/createMessage', {
            messages: [
              messages[0],
              { role: 'user', content: text('Two') },
              { role: 'user', content: image },
              messages[2],
            ],
            ...rest,
          }),
        ],
      },
    ],
  })

  const uses = [
    { type: 'tool_use', id: 'call-1', name: 'add', input: { a: 2, b: 3 } },
    { type: 'tool_use', id: 'call-2', name: 'add', input: { a: 20, b: 30 } },
  ] as const
  const results = uses.map(({ id, input: { a, b } }) => ({
    type: 'tool_result' as const,
    toolUseId: id,
    content: [text(`${a + b}`)],
  }))
  const begun = [{ role: 'user', content: text('Add.') }] as const

  scenario('answers with the use of tools, and then with text', {
    cites: () => verifies('sampling/tool-uses-are-answered', 'sampling/tool-result-names-its-use'),
    rows: hasRichAsks,
    server: async ({ sample }) => {
      const tools = [{ name: 'add', inputSchema: { type: 'object' } }] as const
      const more = { maxTokens: 9, tools, toolChoice: { mode: 'auto' } } as const
      const { content } = await sample({ key: 'first', messages: begun, ...more })
      const followed = [
        ...begun,
        { role: 'assistant', content: content as unknown as typeof uses },
        { role: 'user', content: results },
      ] as const
      const last = await sample({ key: 'last', messages: followed as never, ...more })
      return JSON.stringify(last.content)
    },
    answers: [
      { role: 'assistant', model: 'm', content: uses, stopReason: 'toolUse' },
      { role: 'assistant', model: 'm', content: text('55'), stopReason: 'endTurn' },
    ],
    returns: JSON.stringify(text('55')),
    asked: [
      begun,
      [...begun, { role: 'assistant', content: uses }, { role: 'user', content: results }],
    ].map((messages) => ({
      method: 'sampling/createMessage',
      params: {
        messages,
        maxTokens: 9,
        tools: [{ name: 'add', inputSchema: { type: 'object' } }],
        toolChoice: { mode: 'auto' },
      },
    })),
  })
})

describe('a client that is asked for its roots', () => {
  scenario('answers each time with those that it has', {
    cites: () => verifies('roots/list-changes-are-reported'),
    server: async ({ listRoots }) => JSON.stringify(await listRoots()),
    answers: [{ roots: [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b' }] }, { roots: [] }],
    does: async ({ text }) => [await text(), await text()],
    returns: ['[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]', '[]'],
    asked: [asked('roots/list', {}), asked('roots/list', {})],
  })
})

describe('a client that is asked several times', () => {
  scenario('answers in sequence', {
    server: async ({ elicit }) => {
      const { content } = await elicit({ message: 'Who?', schema: NAME })
      const color = { color: z.string() }
      const second = await elicit({ message: `Which color, ${content?.name}?`, schema: color })
      return `${content?.name} likes ${second.content?.color}`
    },
    answers: [accept({ name: 'Ada' }), accept({ color: 'blue' })],
    returns: 'Ada likes blue',
    asked: ['Who?', 'Which color, Ada?'].map((message) => ({
      method: 'elicitation/create',
      params: expect.objectContaining({ message }),
    })),
  })

  for (const last of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
    scenario(`answers three asks that are sent together, and ${last} last`, {
      server: async ({ elicit, listRoots, sample }) => {
        const [who, roots, said] = await Promise.all([
          elicit({ key: 'who', message: 'Who?', schema: NAME }),
          listRoots(),
          sample({
            messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
            maxTokens: 1,
          }),
        ])
        return JSON.stringify([who.content?.name, roots.length, said.model])
      },
      answers: async (_, method) => {
        // One that is answered last waits until the others have surely been received.
        if (method === last) await new Promise((resolve) => setTimeout(resolve, 20))
        if (method === 'elicitation/create') return accept({ name: 'Ada' })
        if (method === 'roots/list') return { roots: [] }
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hi' } }
      },
      returns: '["Ada",0,"m"]',
      asked: ['elicitation/create', 'roots/list', 'sampling/createMessage'].map((method) => ({
        method,
        params: expect.anything(),
      })),
    })
  }

  let runs = 0

  scenario('runs each step once, and receives each notification once', {
    server: async ({ progress, log, step, elicit }) => {
      await progress(1, 2, 'asking')
      await log('warning', 'first')
      await step('once', () => void runs++)
      await elicit({ message: 'Who?', schema: NAME })
      await progress(2, 2)
      await log('warning', 'second')
      return 'done'
    },
    answers: [accept({ name: 'Ada' })],
    does: async ({ text }) => {
      runs = 0
      return [await text(undefined, { onprogress: () => undefined }), runs]
    },
    returns: ['done', 1],
    asked: ASKED_NAME,
    notified: [1, 'warning: first', 2, 'warning: second'],
    differs: [ASKED_NAME_BEFORE],
  })
})

describe('a client', () => {
  scenario('answers the ask of a prompt, and that of a resource', {
    cites: () => verifies('mrtr/supported-requests'),
    answers: [accept({ name: 'Ada' }), accept({ name: 'Bob' })],
    does: async ({ client }) => {
      const { messages } = await client.getPrompt({
        name: 'run',
        arguments: keepHandler(ASKS_NAME),
      })
      const uri = `script://${keepHandler(ASKS_NAME).script}`
      const { contents } = await client.readResource({ uri })
      return [messages[0].content.text, contents[0].text]
    },
    returns: ['accept Ada', 'accept Bob'],
    asked: [...ASKED_NAME, ...ASKED_NAME],
    differs: [
      { ...ASKED_NAME_BEFORE, asked: [...ASKED_NAME_BEFORE.asked, ...ASKED_NAME_BEFORE.asked] },
    ],
  })

  scenario('answers with an error, which the tool may catch', {
    cites: () => verifies('elicitation/refusals-are-handled'),
    needs: ['refuse'],
    server: async (ctx) => {
      const refusal = await ctx.listRoots({ key: 'r' }).catch(({ message }) => String(message))
      return `${refusal} ${await ASKS_NAME(ctx)}`
    },
    answers: [new Error('User rejected the request'), accept({ name: 'Ada' })],
    returns: expect.stringMatching(
      /^The client did not answer roots\/list: .*User rejected the request\. accept Ada$/,
    ),
    asked: ANY,
  })

  scenario('can send other requests in its session while an ask is open', {
    needs: ['session', 'answer', 'ping'],
    server: ASKS_NAME,
    answers: [new Promise<object>(() => {})],
    does: async (stage) => {
      const { open, wait } = createLatch()
      stage.onAsked('elicitation/create', async () => {
        await wait()
        return accept({ name: 'Ada' })
      })
      const waiting = stage.text()
      await eventually(() => stage.asked().length).toBe(1)
      const echoed = textOf(await stage.call('echo', { text: 'meanwhile' }))
      const pinged = await stage.client.ping()
      open()
      return [echoed, pinged, await waiting]
    },
    returns: ['meanwhile', {}, 'accept Ada'],
    asked: ASKED_NAME,
    differs: [ASKED_NAME_BEFORE],
  })

  scenario('is not asked when it has declared no capability', {
    capabilities: {},
    server: ASKS_NAME,
    does: async ({ run }) => {
      const { isError, content } = await run().catch(({ code }: { readonly code: number }) => ({
        isError: true,
        content: [{ text: code }],
      }))
      return [isError, content[0].text]
    },
    returns: [true, -32021],
    reported: [expect.objectContaining({ type: 'ask-unsent', method: 'tools/call' })],
    differs: [
      {
        on: isSession,
        because: 'a session declares capabilities once, and the model reads why',
        returns: [
          true,
          expect.stringMatching(
            /^The client cannot answer elicitation\/create: it has not declared /,
          ),
        ],
      },
      {
        on: isWithoutSession,
        because: 'the capabilities are unknown without a session',
        returns: [true, CANNOT_ASK],
        reported: [],
      },
    ],
  })

  scenario('is pinged by a tool without a capability', {
    needs: ['session'],
    capabilities: {},
    server: async ({ session, step }) => {
      await session?.ping()
      await step('between', () => 'once')
      await session?.ping()
      return 'there'
    },
    returns: 'there',
    asked: [asked('ping', {}), asked('ping', {})],
  })
})
