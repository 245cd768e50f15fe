/** The methods of a feature of an author, as rows of dispatch. */
import { checkScopes } from '../dispatch/access.ts'
import type { Call } from '../dispatch/call.ts'
import type { MethodRow } from '../dispatch/extensions.ts'
import type { Method } from '../dispatch/methods/method.ts'
import { resultText } from '../dispatch/result-text.ts'
import { badResult } from '../dispatch/run-error.ts'
import { failureError, PLAIN_RUN, runHandler } from '../dispatch/run-handler.ts'
import { isJsonObject, type JsonObject } from '../protocol/json.ts'
import { invalidParams } from '../protocol/protocol-error.ts'
import type { FullContext } from '../server/context.ts'
import { type CompiledSchema, compileSchema, describeIssues } from '../server/schema/compile.ts'
import type { Schema } from '../server/schema/standard-schema.ts'

export interface FeatureMethod {
  readonly params?: Schema | undefined
  readonly scopes?: readonly string[]
  readonly handler: (params: never, ctx: FullContext) => JsonObject | Promise<JsonObject>
}

/** @param extension the methods exist where it is declared. Undefined: in every revision */
export function methodRows(
  methods: Readonly<Record<string, FeatureMethod>> = {},
  extension: string | undefined,
): readonly MethodRow[] {
  const where = extension === undefined ? {} : ({ extension, feature: 'extensions' } as const)
  return Object.entries(methods).map(([name, method]) => ({
    method: name,
    run: createMethod(name, method),
    ...where,
  }))
}

function createMethod(name: string, { params, scopes = [], handler }: FeatureMethod): Method {
  const schema = params && compileSchema(params, 'input')
  const guarded = { scopes }
  return async ({ definition, codec }, call) => {
    checkScopes(guarded, call.request.auth)
    const args = await readParams(name, schema, call)
    try {
      const returned = await runHandler(call, codec, PLAIN_RUN, (ctx) =>
        handler(args as never, ctx),
      )
      if (!isJsonObject(returned)) throw badResult('it returned no object')
      return resultText(call, codec, returned)
    } catch (error) {
      throw failureError(call, definition, `The handler of ${name}`, error)
    }
  }
}

/** @throws {ProtocolError} invalidParams */
async function readParams(
  name: string,
  schema: CompiledSchema | undefined,
  { request, run }: Call,
): Promise<unknown> {
  const { _meta, ...params } = request.params ?? {}
  if (schema === undefined) return params
  const checked = schema.validate(params)
  const outcome = checked instanceof Promise ? await run.cancellation.waitFor(checked) : checked
  if (outcome.issues === undefined) return outcome.value
  throw invalidParams(`Invalid params of ${name}:\n${describeIssues(outcome.issues)}`)
}
