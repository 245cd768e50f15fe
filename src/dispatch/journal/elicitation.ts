/** Questions to a person. @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation */
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import { hasCapability } from '../../protocol/capabilities.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import type { ElicitForm, ElicitResult, ElicitUrl, ElicitUrlResult } from '../../server/ask.ts'
import { type CompiledSchema, compileSchema } from '../../server/schema/compile.ts'
import type { Schema } from '../../server/schema/standard-schema.ts'
import {
  checkElicitationId,
  checkElicitationUrl,
} from '../../server/url-elicitation-required-error.ts'
import { toFormSchema } from './form-schema.ts'
import { declares, type Question } from './question.ts'

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

function isAnswer(
  answer: unknown,
): answer is { readonly action: ElicitUrlResult['action']; readonly content?: unknown } {
  return isJsonObject(answer) && ACTIONS.includes(answer.action)
}

/** A bare `elicitation: {}` means forms; naming only `url` means there are none. */
export function showsForms(capabilities: ClientCapabilities): boolean {
  if (!hasCapability(capabilities, ['elicitation'])) return false
  return (
    hasCapability(capabilities, ['elicitation', 'form']) ||
    !hasCapability(capabilities, ['elicitation', 'url'])
  )
}

interface Form {
  readonly validate: CompiledSchema['validate']
  readonly requestedSchema: JsonObject
}

/** A schema that an author keeps is compiled once, however often it is asked. */
const forms = new WeakMap<object, Form>()

function formOf(schema: Schema): Form {
  const known = forms.get(schema)
  if (known !== undefined) return known
  const { json, validate } = compileSchema(schema, 'input')
  const form = { validate, requestedSchema: toFormSchema(json) }
  forms.set(schema, form)
  return form
}

/** @throws {TypeError} for a schema that no form can show */
export function formQuestion({ message, schema }: ElicitForm): Question<ElicitResult<unknown>> {
  if (typeof message !== 'string') throw new TypeError('ctx.elicit needs a message')
  const { validate, requestedSchema } = formOf(schema)
  return {
    kind: 'elicit',
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema },
    requires: { elicitation: { form: {} } },
    canAnswer: showsForms,
    read: async (answer) => {
      if (!isAnswer(answer)) return undefined
      const { action, content } = answer
      if (action !== 'accept') return { value: { action }, kept: { action } }
      // Whatever else a client sends is nobody's business, in this round as in the next.
      const fields = onlyFields(content, requestedSchema)
      if (fields === undefined) return undefined
      const outcome = await validate(fields)
      if (outcome.issues !== undefined) return undefined
      return { value: { action, content: outcome.value }, kept: { action, content: fields } }
    },
  }
}

/** @throws {TypeError} for an address or an id that cannot be sent */
export function urlQuestion({ message, url, elicitationId }: ElicitUrl): Question<ElicitUrlResult> {
  if (typeof message !== 'string') throw new TypeError('ctx.elicit needs a message')
  const href = checkElicitationUrl(url)
  if (elicitationId !== undefined) checkElicitationId(elicitationId)
  return {
    kind: 'elicit',
    method: 'elicitation/create',
    params: {
      mode: 'url',
      message,
      url: href,
      ...(elicitationId === undefined ? undefined : { elicitationId }),
    },
    requires: { elicitation: { url: {} } },
    canAnswer: declares('elicitation', 'url'),
    read: async (answer) => {
      if (!isAnswer(answer)) return undefined
      const { action } = answer
      return { value: { action }, kept: { action } }
    },
  }
}

/** The fields that the form has, and no others. */
function onlyFields(content: unknown, { properties }: JsonObject): JsonObject | undefined {
  if (!isJsonObject(content) || !isJsonObject(properties)) return undefined
  const fields = Object.keys(properties).filter((field) => Object.hasOwn(content, field))
  return Object.fromEntries(fields.map((field) => [field, content[field]]))
}
