/** Elicitation asks: forms and URLs. @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation */
import { perObject } from '../../../platform/per-object.ts'
import { type ClientCapabilities, hasCapability } from '../../../protocol/capabilities.ts'
import { joinLists } from '../../../protocol/choice-fields.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import type { ElicitForm, ElicitResult, ElicitUrl, ElicitUrlResult } from '../../../server/ask.ts'
import { locate } from '../../../server/define/checks.ts'
import {
  type CompiledSchema,
  compileSchema,
  describeIssues,
} from '../../../server/schema/compile.ts'
import type { Schema } from '../../../server/schema/standard-schema.ts'
import {
  checkElicitationId,
  checkElicitationUrl,
} from '../../../server/url-elicitation-required-error.ts'
import { type Ask, declares, type Misfit } from './ask.ts'
import { toFormSchema } from './form-schema.ts'

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

const NO_ACTION: Misfit = { misfit: 'action must be accept, decline or cancel' }

function isAnswer(answer: unknown): answer is {
  readonly action: ElicitUrlResult['action']
  readonly content?: unknown
  readonly via?: unknown
} {
  return isJsonObject(answer) && ACTIONS.includes(answer.action)
}

/** Whether the client shows forms. `elicitation: {}` means forms; a client that declares only `url` does not. */
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

/** Compiled forms by schema: a schema that is defined once is compiled once. */
const formOf = perObject((schema: Schema): Form => {
  const { json, validate } = locate('ctx.elicit: schema', () => compileSchema(schema, 'input'))
  return { validate, requestedSchema: toFormSchema(json) }
})

type FormAsk = Omit<ElicitForm, 'throughModel'> & { readonly throughModel?: boolean | 'as-app' }

/** @throws {TypeError} if the schema cannot be shown as a form */
export function formAsk({
  message,
  schema,
  throughModel = 'as-app' as const,
}: FormAsk): Ask<ElicitResult<unknown>> {
  if (typeof message !== 'string') throw new TypeError('ctx.elicit needs a message')
  const { validate, requestedSchema } = formOf(schema)
  return {
    kind: 'elicit',
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema },
    requires: { elicitation: { form: {} } },
    canAnswer: showsForms,
    throughModel,
    read: async (answer) => {
      if (!isAnswer(answer)) return NO_ACTION
      const { action, content } = answer
      const via = answer.via === 'model' ? ({ via: 'model' } as const) : {}
      if (action !== 'accept') return { value: { action, ...via }, kept: { action, ...via } }
      if (!isJsonObject(content)) return { misfit: 'content must be an object' }
      const joined = joinLists(content, requestedSchema)
      if (typeof joined === 'string') return { misfit: `${joined} must be true or false` }
      // Fields that the form does not have are dropped, in this round and in later ones.
      const fields = onlyFields(joined, requestedSchema)
      const outcome = await validate(fields)
      if (outcome.issues !== undefined) return { misfit: describeIssues(outcome.issues) }
      return {
        value: { action, content: outcome.value, ...via },
        kept: { action, content: fields, ...via },
      }
    },
  }
}

/** @throws {TypeError} for a malformed URL or id */
export function urlAsk({ message, url, elicitationId }: ElicitUrl): Ask<ElicitUrlResult> {
  if (typeof message !== 'string') throw new TypeError('ctx.elicit needs a message')
  const href = checkElicitationUrl(url)
  if (elicitationId !== undefined) checkElicitationId(elicitationId)
  return openUrl(message, href, elicitationId)
}

/** Asks to open a URL that needs no check. */
export function openUrl(
  message: string,
  href: string,
  elicitationId?: string,
): Ask<ElicitUrlResult> {
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
      if (!isAnswer(answer)) return NO_ACTION
      const { action } = answer
      return { value: { action }, kept: { action } }
    },
  }
}

/** Returns the fields of the form and drops others. */
function onlyFields(content: JsonObject, { properties }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return {}
  const fields = Object.keys(properties).filter((field) => Object.hasOwn(content, field))
  return Object.fromEntries(fields.map((field) => [field, content[field]]))
}
