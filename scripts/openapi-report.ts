/**
 * `npm run openapi-report -- <description.json>`: prints what `prepareOpenAPI` makes of a description: the
 * tools, what was skipped or shortened, and what it costs in time and memory.
 */
import { readFileSync } from 'node:fs'
import { prepareOpenAPI } from '../packages/openapi/src/index.ts'

const [file] = process.argv.slice(2)
if (file === undefined) throw new TypeError('Usage: npm run openapi-report -- <description.json>')
const text = readFileSync(file, 'utf8')
const print = (line: string) => process.stdout.write(`${line}\n`)
const heapMegabytes = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

const before = heapMegabytes()
const document = JSON.parse(text)
const parsed = heapMegabytes()
const started = performance.now()
const prepared = prepareOpenAPI(document, {
  baseUrl: 'https://api.example',
  deprecated: true,
  onUnsupported: 'skip',
})
const preparedAt = performance.now()
prepared.server({ auth: () => 'key' })
const builtAt = performance.now()
const after = heapMegabytes()

const { operations, skipped } = prepared
print(`${(text.length / 1e6).toFixed(1)} MB, ${operations.length} tools, ${skipped.length} skipped`)
print(`prepareOpenAPI: ${(preparedAt - started).toFixed(0)} ms, ${(after - parsed).toFixed(1)} MB`)
print(`the description itself: ${(parsed - before).toFixed(1)} MB`)
print(`server(): ${(builtAt - preparedAt).toFixed(1)} ms`)
for (const { operation, reason } of skipped) print(`skipped ${operation}: ${reason}`)
for (const { name, pruning } of operations.filter((one) => one.pruning !== 'none')) {
  print(`shortened ${name}: ${pruning}`)
}
