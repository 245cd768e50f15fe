/** Requests of OpenAPI tools: any arguments of the schema lead to a request of the operation's own template. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { prepareOpenAPI, type ServedOperation } from '../../packages/openapi/src/index.ts'
import { argumentsOf } from '../../packages/openapi/test/support/arguments.ts'
import { descriptionOf } from '../../packages/openapi/test/support/descriptions.ts'
import {
  callTool,
  listTools,
  openServer,
  playUpstream,
  type Result,
} from '../../packages/openapi/test/support/upstream.ts'
import { runs } from './settings.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const BASE = 'https://api.example/base'
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

interface ParameterSource {
  readonly name: string
  readonly in: string
  readonly style?: string
  readonly content?: object
}

/** Whether the path of a URL matches the template, with one segment for each of its segments. */
function matchesTemplate(template: string, pathname: string): boolean {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^{}]*\}/g, '[^/?#]+')
  return new RegExp(`^/base${escaped}$`).test(pathname)
}

/** The parameters of the operation whose value is one text of one name. */
function plainParameters({ source }: ServedOperation, args: Record<string, unknown>) {
  const { parameters = [] } = source as { parameters?: readonly ParameterSource[] }
  return parameters.filter(
    ({ name, in: at, style, content }) =>
      at === 'query' &&
      style === undefined &&
      content === undefined &&
      ['string', 'number', 'boolean'].includes(typeof args[name]),
  )
}

/** The failure of a property without lone surrogates, which the test runner cannot transmit. */
function describeFailure<T>({ failed, seed, counterexample, errorInstance }: fc.RunDetails<T>) {
  if (!failed) return ''
  return JSON.stringify({ seed, counterexample, error: String(errorInstance) }).toWellFormed()
}

const NAMES = [
  '3.1/json/train-travel.json',
  '3.0/json/star-trek.json',
  '3.0/json/petstore.json',
  '3.0/json/parameters-style.json',
  '3.0/json/readme-legacy.json',
  'rclone',
]

describe('arguments of an input schema', () => {
  it.each(NAMES)(
    'of %s lead to a request that matches the template of the operation',
    async (name) => {
      const prepared = prepareOpenAPI(descriptionOf(name), { baseUrl: BASE })
      const app = openServer(prepared.server())
      const tools = await listTools(app)
      const cases = fc.nat({ max: tools.length - 1 }).chain((index) => {
        const { inputSchema } = tools[index]
        return argumentsOf(inputSchema, inputSchema).map((args) => ({ index, args }) as const)
      })
      const sent = playUpstream()
      let requests = 0
      const run = await fc.check(
        fc.asyncProperty(cases, async ({ index, args }) => {
          const operation = prepared.operations[index] as ServedOperation
          const { inputSchema } = tools[index]
          fc.pre(ajv.validate(inputSchema, args))
          sent.length = 0
          const given = args as Record<string, unknown>
          const result: Result = await callTool(app, operation.name, given)
          const [request] = sent
          if (request === undefined) {
            // Only what no request can carry is refused.
            expect(result.content[0].text).toMatch(
              /must not be empty|"\." or "\.\."|ASCII|base64|format/,
            )
            return
          }
          requests++
          const url = new URL(request.url)
          expect(request.method).toBe(operation.method)
          expect(url.origin).toBe('https://api.example')
          expect(url.hash).toBe('')
          expect([
            operation.path,
            url.pathname,
            matchesTemplate(operation.path.split('#')[0] ?? '', url.pathname),
          ]).toEqual([operation.path, url.pathname, true])
          for (const { name: parameter } of plainParameters(operation, given)) {
            const value = String(given[parameter]).toWellFormed()
            expect(url.searchParams.getAll(parameter)).toEqual([value])
          }
          if (request.headers.get('content-type')?.includes('json')) {
            expect(JSON.parse(request.body)).toEqual(JSON.parse(JSON.stringify(given.body)))
          }
        }),
        runs(60),
      )
      expect(describeFailure(run)).toBe('')
      expect(requests).toBeGreaterThan(10)
    },
  )
})
