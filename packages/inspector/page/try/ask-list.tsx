/** The requests of the server within a call. When each has an answer, the call continues. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Params } from '../client/endpoint.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Code } from '../elements/text.tsx'
import type { AnswerProps, Ask } from './ask.ts'
import { FormElicitation, UrlElicitation } from './elicitation.tsx'
import { RootsAnswer, SamplingAnswer } from './text-answers.tsx'

interface AskListProps {
  readonly asks: readonly Ask[]
  readonly onAnswers: (responses: Params) => void
  /** Ends the call: sampling and roots have no response that declines. */
  readonly onRefuse: () => void
}

export function AskList({ asks, onAnswers, onRefuse }: AskListProps) {
  const [responses, setResponses] = useState<Params>({})
  const open = asks.filter(({ key }) => responses[key] === undefined)
  const [first] = open
  const heading = useRef<HTMLHeadingElement>(null)

  // The next question gets the focus, also after an answer has removed the control that had it.
  useEffect(() => heading.current?.focus(), [first?.key])

  const answer = (key: string, response: Params) => {
    const next = { ...responses, [key]: response }
    setResponses(next)
    if (open.length === 1) onAnswers(next)
  }
  return open.map((ask) => (
    <article class="ask" key={ask.key}>
      <h3 ref={ask === first ? heading : undefined} tabIndex={-1}>
        {TITLES[ask.method] ?? 'The server asks'} <Code max={60}>{ask.key}</Code>
      </h3>
      <Answer ask={ask} onAnswer={(response) => answer(ask.key, response)} onRefuse={onRefuse} />
    </article>
  ))
}

const TITLES: Readonly<Record<string, string>> = {
  'elicitation/create': 'The server asks you',
  'sampling/createMessage': 'The server asks your model',
  'roots/list': 'The server asks for your roots',
}

interface OneAnswerProps extends Omit<AnswerProps, 'params'> {
  readonly ask: Ask
}

function Answer({ ask: { method, params }, ...rest }: OneAnswerProps) {
  switch (method) {
    case 'elicitation/create':
      return params.mode === 'url' ? (
        <UrlElicitation params={params} {...rest} />
      ) : (
        <FormElicitation params={params} {...rest} />
      )
    case 'sampling/createMessage':
      return <SamplingAnswer params={params} {...rest} />
    case 'roots/list':
      return <RootsAnswer params={params} {...rest} />
    default:
      return (
        <>
          <p>This page does not know the request. Cancel the call.</p>
          <JsonTree value={{ method, params }} label="the request" />
        </>
      )
  }
}
