/**
 * Type tests of server definitions. `npm run typecheck` fails when an inferred type differs from the
 * type written here. This file is never executed.
 */

import * as z from 'zod'
import { admin } from '../../packages/inspector/src/admin/index.ts'
import { file, type UploadedFile } from '../../src/features/files/index.ts'
import {
  type CallToolResult,
  type Context,
  completable,
  createEdgeway,
  jsonSchema,
  McpServer,
  ResourceTemplate,
} from '../../src/index.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_T extends true>(): void {}

interface Env {
  readonly KEY: string
}

const server = new McpServer<Env>({ name: 'types', version: '1' })

// Arguments have the output type of the schema, with defaults and transforms applied.
server.registerTool(
  'arguments',
  {
    inputSchema: z.object({
      a: z.string(),
      b: z.number().optional(),
      c: z.boolean().default(true),
      d: z.string().transform(Number),
    }),
  },
  (args, ctx) => {
    assertType<Equal<typeof args, { a: string; b?: number | undefined; c: boolean; d: number }>>()
    assertType<Equal<typeof ctx, Context<Env>>>()
    assertType<Equal<typeof ctx.env.KEY, string>>()
    return args.a
  },
)

// Without an input schema, the context is the only parameter of the handler.
server.registerTool('none', {}, (ctx) => {
  assertType<Equal<typeof ctx, Context<Env>>>()
  return []
})

// The files of a tool are those of its config, with any schema library.
server.registerTool(
  'files',
  {
    inputSchema: z.object({ a: z.string() }),
    files: { photo: file({ types: ['image/*'] }), other: file({ required: false }) },
    scopes: ['read'],
  },
  (args, ctx) => {
    assertType<Equal<typeof args, { a: string }>>()
    assertType<Equal<typeof ctx.env.KEY, string>>()
    assertType<Equal<typeof ctx.files.photo, UploadedFile>>()
    assertType<Equal<typeof ctx.files.other, UploadedFile | undefined>>()
    assertType<Equal<typeof ctx.auth.subject, string>>()
    // @ts-expect-error: no such file
    ctx.files.phtoo
    return args.a
  },
)
server.registerTool('only files', { files: { photo: file() } }, async ({ files }) =>
  files.photo.text(),
)
server.registerTool(
  'raw with files',
  { inputSchema: jsonSchema({ type: 'object' }), files: { photo: file() } },
  (args, { files }) => {
    assertType<Equal<typeof args, Record<string, unknown>>>()
    return files.photo
  },
)
server.registerTool('stores files', { files: true }, (ctx) => {
  assertType<Equal<typeof ctx, Context<Env>>>()
  return []
})
// @ts-expect-error: a file is the value of file()
server.registerTool('other files', { files: { photo: { maxBytes: 1 } } }, () => '')

// With raw JSON Schema the arguments are a record, because the compiler cannot infer their type.
server.registerTool(
  'raw',
  { inputSchema: jsonSchema({ type: 'object', properties: {} }) },
  (args) => {
    assertType<Equal<typeof args, Record<string, unknown>>>()
    return { content: [] }
  },
)

const outputSchema = z.object({ sum: z.number(), at: z.string().default('now') })

// A returned value must match the input type of the output schema. A member with a default is optional.
server.registerTool('value', { outputSchema }, () => ({ sum: 1 }))
server.registerTool('asynchronous value', { outputSchema }, async () => ({ sum: 1, at: 'then' }))
server.registerTool('text instead', { outputSchema }, (ctx) =>
  ctx.signal.aborted ? 'Not now.' : { sum: 1 },
)
server.registerTool('result', { outputSchema }, (): CallToolResult => ({ content: [] }))
server.registerTool('list', { outputSchema: z.array(z.string()) }, () => ['a'])

// A generic call in the returned value has the type that the output schema needs.
server.registerTool('generic value', { outputSchema }, async () => ({
  sum: await new Response('1').json(),
}))

// @ts-expect-error: a member is missing
server.registerTool('missing', { outputSchema }, () => ({}))
// @ts-expect-error: a member has another type
server.registerTool('other type', { outputSchema }, () => ({ sum: 'one' }))
// @ts-expect-error: a member of a promised value has another type
server.registerTool('other type later', { outputSchema }, async () => ({ sum: 'one' }))
// @ts-expect-error: a structured value requires an output schema
server.registerTool('nowhere', {}, () => ({ sum: 1 }))
// @ts-expect-error: a tool must return a result
server.registerTool('nothing', {}, () => undefined)
const wantsNumber = (args: { a: number }) => String(args.a)
const inputSchema = z.object({ a: z.string() })
// @ts-expect-error: the parameter of the handler does not match the input schema
server.registerTool('wrong arguments', { inputSchema }, wantsNumber)
// @ts-expect-error: the option is unknown
server.registerTool('mistyped', { inputShcema: z.object({}) }, () => '')

server.registerPrompt(
  'prompt',
  { argsSchema: z.object({ who: completable(z.string(), (value) => [value]) }) },
  (args, ctx) => {
    assertType<Equal<typeof args, { who: string }>>()
    assertType<Equal<typeof ctx, Context<Env>>>()
    return args.who
  },
)
// @ts-expect-error: a prompt must return a result
server.registerPrompt('silent', {}, () => undefined)

server.registerResource('resource', 'a://b', {}, (uri, ctx) => {
  assertType<Equal<typeof uri, URL>>()
  assertType<Equal<typeof ctx, Context<Env>>>()
  return new Uint8Array()
})
server.registerResource(
  'template',
  new ResourceTemplate<Env>('a://{id}', {
    list: (ctx) => ({ resources: [{ uri: ctx.env.KEY, name: 'n' }] }),
  }),
  {},
  (_uri, variables) => {
    assertType<Equal<(typeof variables)[string], string | readonly string[]>>()
    return undefined
  },
)

const edgeway = createEdgeway(server)
assertType<Equal<Parameters<typeof edgeway.fetch>[1], Env>>()

// A shape stands for the object with its properties.
server.registerTool(
  'shape',
  {
    inputSchema: { a: z.string(), b: z.number().optional(), c: z.boolean().default(true) },
    outputSchema: { sum: z.number(), at: z.string().default('now') },
  },
  (args) => {
    assertType<Equal<typeof args, { a: string; c: boolean; b?: number | undefined }>>()
    return { sum: 1 }
  },
)
// @ts-expect-error: a member has another type than in the shape
server.registerTool('other shape', { outputSchema: { sum: z.number() } }, () => ({ sum: 'one' }))
server.registerTool('empty shape', { inputSchema: {} }, (args) => {
  assertType<Equal<typeof args, Record<never, never>>>()
  return 'x'
})
server.registerPrompt(
  'shape',
  { argsSchema: { a: z.string(), b: z.string().optional() } },
  (args) => {
    assertType<Equal<typeof args, { a: string; b?: string | undefined }>>()
    return args.a
  },
)

// A result can be built step by step, and its lists may be constants.
server.registerTool('built', {}, () => {
  const result: CallToolResult = { content: [] }
  result.content.push({ type: 'text', text: 'a' })
  result.isError = true
  return result
})
const CONSTANT = { content: [{ type: 'text', text: 'a' }] } as const
server.registerTool('constant', {}, () => CONSTANT)

// With scopes, the caller is known.
server.registerTool('with scopes', { scopes: ['write'] }, ({ auth }) => auth.subject)
server.registerTool(
  'arguments with scopes',
  { inputSchema: z.object({ a: z.string() }), scopes: ['write'] },
  ({ a }, { auth }) => a + auth.subject,
)
server.registerPrompt('with scopes', { scopes: ['read'] }, ({ auth }) => auth.subject)
server.registerResource('with scopes', 'a://b', { scopes: ['read'] }, (_, { auth }) => auth.subject)
// @ts-expect-error: without scopes there may be no caller
server.registerTool('without scopes', {}, ({ auth }) => auth.subject)
// @ts-expect-error: an empty list needs no token
server.registerTool('no scope', { scopes: [] }, ({ auth }) => auth.subject)

// A template that is a constant of the module expands itself in its own list.
const notes = new ResourceTemplate<Env>('note://{id}', {
  list: (_, { expand }) => ({ resources: [{ uri: expand({ id: 'a b' }), name: 'a b' }] }),
})
server.registerResource('notes', notes, {}, (uri) => uri.href)

// The environment of the deletion is that of the parameter.
admin({ onDeletePerson: (subject: string, env: Env) => `${subject} ${env.KEY}` })
