/** Test clients of the notebook that the root `wrangler.toml` deploys, signed in as its owner. */
import { reset } from 'cloudflare:test'
import { env as workerEnv } from 'cloudflare:workers'
import notebook from '../../../examples/notebook/worker.ts'
import {
  type ClientOptions,
  connect,
  signIn,
  type TestClient,
  type ToolResult,
} from '../../../packages/testing/src/index.ts'

/** The app keeps the keys of the keyring for each environment: a notebook with new keys needs a new one. */
let env = { ...workerEnv }
let token: string | undefined
const clients: TestClient[] = []

/** Connects a client that cannot be asked, with the token of the owner, who signs in once for each test. */
export async function open(options: ClientOptions<Cloudflare.Env> = {}): Promise<TestClient> {
  token ??= await signIn(notebook, { env })
  const client = await connect(notebook, { env, token, capabilities: {}, ...options })
  clients.push(client)
  return client
}

/** Forgets the token, for example after a change of the clock. */
export function signInAnew(): void {
  token = undefined
}

/** Waits for the work of the test's handlers, and then empties the notebook. */
export async function clear(): Promise<void> {
  for (const client of clients.splice(0)) await client.close()
  signInAnew()
  await reset()
  env = { ...workerEnv }
}

/** The texts of the text blocks of a result. */
export function textsOf({ content }: Pick<ToolResult, 'content'>): readonly string[] {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the members that it expects
type Structured = any

/** Returns the structured result of a tool call; throws when the tool returns an error. */
export async function call(client: TestClient, name: string, args?: object): Promise<Structured> {
  const { isError, text, structuredContent } = await client.callTool(name, args)
  if (isError) throw new Error(text)
  return structuredContent
}
