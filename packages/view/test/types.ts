/**
 * Type tests of `edgeway/view`: what the compiler infers and refuses, and that the types of messages are those of the
 * official package. `npm run typecheck` fails when one differs. This file is never executed.
 */
import type {
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiUpdateModelContextRequest,
} from '@modelcontextprotocol/ext-apps'
import {
  type ContentBlock,
  connectView,
  type HostCapabilities,
  type HostContext,
  type ModelContext,
  textOf,
  ViewError,
} from '../src/index.ts'
import type { useView } from '../src/preact.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_T extends true>(): void {}

/** Without `readonly` at every depth, and without members that any name may have. */
type Plain<Value> = Value extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Value extends object
    ? { -readonly [Name in keyof Value as string extends Name ? never : Name]: Plain<Value[Name]> }
    : Value
type Same<Ours, Theirs> = [Plain<Ours>] extends [Plain<Theirs>]
  ? [Plain<Theirs>] extends [Plain<Ours>]
    ? true
    : false
  : false

// The types of the host are those of the official package. Ours take any name of a variable.
type Known<Context> = Omit<Plain<Context>, 'styles' | 'toolInfo'>
assertType<Same<Known<HostContext>, Known<McpUiHostContext>>>()
assertType<Equal<keyof Plain<HostContext>, keyof Plain<McpUiHostContext>>>()
assertType<McpUiHostContext extends HostContext ? true : false>()
assertType<Same<HostCapabilities, McpUiHostCapabilities>>()
assertType<Equal<keyof HostCapabilities, keyof McpUiHostCapabilities>>()
type TheirContext = McpUiUpdateModelContextRequest['params']
assertType<TheirContext extends ModelContext ? true : false>()
assertType<
  Plain<ContentBlock> extends NonNullable<TheirContext['content']>[number] ? true : false
>()

interface Tools {
  show_note: { arguments: { title: string; tags?: string[] }; result: { title: string } }
  list_notes: { arguments: { limit?: number }; result: undefined }
}

const view = connectView<Tools, 'show_note'>({ name: 'note', displayModes: ['inline', 'pip'] })
const { tool, host } = view.state

if (tool.status === 'writing') {
  assertType<
    Equal<
      typeof tool.partial,
      { readonly title?: string | undefined; readonly tags?: readonly string[] | undefined }
    >
  >()
}
if (tool.status === 'running')
  assertType<Equal<typeof tool.arguments, Tools['show_note']['arguments']>>()
if (tool.status === 'done') {
  assertType<Equal<typeof tool.result.structuredContent, { title: string } | undefined>>()
}
const called = await view.callTool('show_note', { title: 'Milk' })
if (called.isError) assertType<Equal<typeof called.structuredContent, unknown>>()
else assertType<Equal<typeof called.structuredContent, { title: string } | undefined>>()
assertType<Equal<typeof host.theme, 'light' | 'dark' | undefined>>()
assertType<Equal<ReturnType<typeof useView<Tools, 'show_note'>>, typeof view.state>>()
await view.callTool('list_notes')

// Without a map, any tool may be called, and nothing is known of its result.
const open = connectView({ name: 'open' })
const anything = await open.callTool('any', { x: 1 })
assertType<Equal<typeof anything.structuredContent, unknown>>()

// @ts-expect-error no tool has this name
void view.callTool('delete_note', { title: 'Milk' })
// @ts-expect-error the arguments have a required member
void view.callTool('show_note')
// @ts-expect-error a required member is absent
void view.callTool('show_note', {})
// @ts-expect-error an argument has another type
void view.callTool('show_note', { title: 1 })
// @ts-expect-error an argument has no such name
void view.callTool('show_note', { title: 'Milk', colour: 'red' })
// @ts-expect-error a member of a list has another type
void view.callTool('show_note', { title: 'Milk', tags: [1] })
// @ts-expect-error an option has no such name
void view.callTool('list_notes', {}, { timeout: 5 })
// @ts-expect-error the result has no such member
if (!called.isError) called.structuredContent?.body
// @ts-expect-error the structured content may be absent
if (!called.isError) called.structuredContent.title
// @ts-expect-error the server has no such tool
connectView<Tools, 'delete_note'>({ name: 'note' })
// @ts-expect-error a tool of the map has no result
connectView<{ show_note: { arguments: object } }>({ name: 'note' })
// @ts-expect-error a view has a name
connectView({})
// @ts-expect-error no host has this display mode
connectView({ name: 'note', displayModes: ['window'] })
// @ts-expect-error no host has this display mode
void view.requestDisplayMode('window')
// @ts-expect-error the host context has no such member
host.colour
// @ts-expect-error a call that waits has no result
if (tool.status === 'waiting') tool.result
// @ts-expect-error arguments that are being written may be absent
if (tool.status === 'writing') tool.partial.title.length
// @ts-expect-error a message is a text or a list of blocks
void view.sendMessage({ type: 'text', text: 'Milk' })
// @ts-expect-error a block of text has a text
void view.updateModelContext({ content: [{ type: 'text' }] })
// @ts-expect-error a size is in pixels
view.sendSize({ height: '10px' })
// @ts-expect-error the state is the host's to change
view.state.tool = tool
// @ts-expect-error no error has this reason
if (new ViewError('refused', '').reason === 'denied') textOf(called)
