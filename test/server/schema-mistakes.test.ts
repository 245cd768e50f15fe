/** Values in the place of a schema: the error says what was passed, and what to pass. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import * as z3 from 'zod/v3'
import { McpServer } from '../../src/index.ts'

const nothing = () => 'x'
// The types reject most of them: they come from JavaScript or from casts.
const wrong = (value: unknown) => value as never

describe('registerTool with another value than a schema', () => {
  it.each<[string, object, RegExp]>([
    [
      'a property that is no schema',
      { inputSchema: wrong({ city: 'string' }) },
      /inputSchema: property "city" must be a schema such as z\.string\(\)$/,
    ],
    [
      'a property that is undefined, as in a cycle of modules',
      { inputSchema: wrong({ city: undefined }) },
      /property "city" is undefined: it must be a schema/,
    ],
    [
      'a property that is undefined beside a schema',
      { inputSchema: wrong({ city: z.string(), days: undefined }) },
      /property "days" is undefined: it must be a schema/,
    ],
    [
      'a function that returns a schema',
      { inputSchema: wrong(() => z.object({ a: z.string() })) },
      /a schema must be a Standard Schema/,
    ],
    [
      'the promise of a schema',
      { inputSchema: wrong(Promise.resolve(z.object({ a: z.string() }))) },
      /a schema must be a Standard Schema/,
    ],
    [
      'a schema of zod/mini',
      { inputSchema: wrong(mini.object({ a: mini.string() })) },
      /this zod schema does not describe itself .*zod\/mini does not\): pass jsonSchema/,
    ],
    [
      'a schema of zod 3',
      { inputSchema: wrong(z3.object({})) },
      /this zod schema does not describe itself .* zod does from 4\.2 on/,
    ],
    [
      'a schema of zod before Standard Schema',
      { inputSchema: wrong({ _def: { typeName: 'ZodObject' }, safeParse: nothing }) },
      /this schema does not describe itself as JSON Schema.* zod does from 4\.2 on/,
    ],
    [
      'a schema of Valibot without its JSON Schema package',
      {
        inputSchema: wrong({
          '~standard': { version: 1, vendor: 'valibot', validate: nothing },
        }),
      },
      /this valibot schema does not describe itself .*: pass jsonSchema\(\{ … \}\)$/,
    ],
  ])('names the mistake of %s', (_, config, message) => {
    const register = () =>
      new McpServer({ name: 's', version: '1' }).registerTool('t', config as object, nothing)
    expect(register).toThrow(TypeError)
    expect(register).toThrow(message)
  })
})
