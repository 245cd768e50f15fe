/**
 * Completion of prompt arguments and of template variables. The completion of one argument can depend on the
 * value of another.
 *
 *     npx wrangler dev examples/completion/worker.ts
 */
import * as z from 'zod'
import { completable, createEdgeway, createServer, ResourceTemplate } from '../../src/index.ts'

const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  css: ['grid', 'flexbox', 'container queries'],
  sql: ['window functions', 'common table expressions', 'indexes'],
  typescript: ['conditional types', 'generics', 'narrowing'],
}

const startingWith = (typed: string, values: readonly string[]) =>
  values.filter((value) => value.startsWith(typed.toLowerCase()))

const server = createServer({ name: 'tutor', version: '1.0.0' })

server.registerPrompt(
  'explain',
  {
    title: 'Explain a topic',
    description: 'Explains one topic of a language, with an example',
    argsSchema: z.object({
      language: completable(z.string(), (typed) => startingWith(typed, Object.keys(LANGUAGES))),
      topic: completable(z.string(), (typed, { arguments: { language = '' } }) =>
        startingWith(typed, topicsOf(language)),
      ),
    }),
  },
  ({ language, topic }) => `Explain ${topic} in ${language}, with one short example I can run.`,
)

server.registerResource(
  'topics',
  new ResourceTemplate('tutor://topics/{language}', {
    list: undefined,
    complete: { language: (typed) => startingWith(typed, Object.keys(LANGUAGES)) },
  }),
  { title: 'Topics of a language', mimeType: 'text/plain', cacheScope: 'public', ttlMs: 3_600_000 },
  (_, { language }) => {
    const topics = topicsOf(String(language))
    return topics.length === 0 ? undefined : topics.join('\n')
  },
)

function topicsOf(language: string): readonly string[] {
  return Object.hasOwn(LANGUAGES, language) ? (LANGUAGES[language] ?? []) : []
}

export default createEdgeway(server)
