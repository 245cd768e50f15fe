/** Every text of a definition that a model reads. */
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { Surface } from '../../../doctor/src/definition/surface.ts'
import type { Members } from '../../../text/src/json/members.ts'
import { quoted } from '../../../text/src/quoted.ts'
import { schemasIn } from './rules/schema-walk.ts'

export interface ModelText {
  /** Where the text is, as the subject of a sentence. */
  readonly where: string
  /** The tool that has it. */
  readonly tool?: string
  readonly text: string
  /** Instructions of the server may say how its tools belong together. */
  readonly isInstructions?: boolean
  /** A name or a value of a schema is data: it may be encoded, and says nothing of a product. */
  readonly isData?: boolean
}

/** A longer text is read to here. Its length is a fault of its list. */
const MAX_CHARACTERS = 50_000

export function* textsOf(surface: Surface): Generator<ModelText> {
  for (const found of allTexts(surface)) {
    if (found.text.trim() !== '') yield { ...found, text: found.text.slice(0, MAX_CHARACTERS) }
  }
}

function* allTexts(surface: Surface): Generator<ModelText> {
  const { info, instructions = '' } = surface
  yield { where: 'The title of the server', text: info.title ?? '' }
  yield { where: 'The description of the server', text: info.description ?? '' }
  yield { where: 'The instructions of the server', text: instructions, isInstructions: true }
  for (const tool of surface.tools) {
    for (const found of toolTexts(tool)) yield { ...found, tool: tool.name }
  }
  for (const prompt of surface.prompts) {
    const whole = `the prompt ${quoted(prompt.name)}`
    yield* listed(whole, prompt)
    for (const argument of prompt.arguments ?? []) {
      yield* listed(`the argument ${quoted(argument.name)} of ${whole}`, argument)
    }
  }
  for (const resource of surface.resources) {
    yield* listed(`the resource ${quoted(resource.uri)}`, resource)
  }
  for (const template of surface.resourceTemplates) {
    yield* listed(`the template ${quoted(template.uriTemplate)}`, template)
  }
  for (const { name, description, inputSchema, payloadSchema } of surface.events) {
    const whole = `the event type ${quoted(name)}`
    yield* listed(whole, { description })
    yield* schemaTexts(whole, inputSchema)
    yield* schemaTexts(whole, payloadSchema)
  }
}

function* toolTexts(tool: Surface['tools'][number]): Generator<ModelText> {
  const whole = `the tool ${quoted(tool.name)}`
  yield* listed(whole, tool)
  const { title } = tool.annotations ?? {}
  if (title !== undefined && title !== tool.title) yield* listed(whole, { title })
  yield* schemaTexts(whole, tool.inputSchema)
  yield* schemaTexts(whole, tool.outputSchema)
}

interface Texts {
  readonly title?: unknown
  readonly description?: unknown
}

function* listed(whole: string, { title, description }: Texts): Generator<ModelText> {
  if (typeof title === 'string') yield { where: `The title of ${whole}`, text: title }
  if (typeof description === 'string') {
    yield { where: `The description of ${whole}`, text: description }
  }
}

function* schemaTexts(whole: string, root: unknown): Generator<ModelText> {
  if (!isJsonObject(root)) return
  for (const { path, name, schema } of schemasIn(root)) {
    const place = path === '' ? `a schema of ${whole}` : `${quoted(path)} of ${whole}`
    yield* listed(place, schema)
    yield { where: `The name of ${place}`, text: name, isData: true }
    for (const text of valuesOf(schema)) yield { where: `A value of ${place}`, text, isData: true }
  }
}

/** Of one schema. Those after them are not read. */
const MAX_VALUES = 1000

/** The texts that a model reads as values of a property. */
function valuesOf(schema: Members): readonly string[] {
  const { default: fallback, const: only, examples, enum: choices } = schema
  const lists = [examples, choices].flatMap((list) => (Array.isArray(list) ? list : []))
  return [fallback, only, ...lists.slice(0, MAX_VALUES)].filter(
    (value) => typeof value === 'string',
  )
}
