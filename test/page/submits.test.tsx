/** The forms of the page: none of them leaves it when it is submitted. */
import { fireEvent, render } from '@testing-library/preact'
import type { VNode } from 'preact'
import { describe, expect, it } from 'vitest'
import { SubjectForm } from '../../inspector/elements/subject-form.tsx'
import { SchemaForm } from '../../inspector/form/schema-form.tsx'
import { PromptForm } from '../../inspector/try/completed-forms.tsx'
import { EndpointBar } from '../../inspector/try/endpoint-bar.tsx'
import { SignIn } from '../../inspector/try/sign-in.tsx'
import { RootsAnswer } from '../../inspector/try/text-answers.tsx'

const ignore = () => undefined
const ITEM = { id: 'write', title: undefined, description: undefined, definition: {} }

describe('the form', () => {
  it.each<[string, VNode]>([
    ['of a schema', <SchemaForm key="a" schema={{}} action="Send" onSubmit={ignore} />],
    ['of a subject', <SubjectForm key="b" subject="" onSubject={ignore} />],
    [
      'of a prompt',
      <PromptForm
        key="c"
        item={ITEM}
        endpoint="/mcp"
        isActive={false}
        entered={undefined}
        onRequest={ignore}
      />,
    ],
    [
      'of an endpoint',
      <EndpointBar
        key="d"
        endpoints={[]}
        endpoint="/mcp"
        onEndpoint={ignore}
        signOut={undefined}
      />,
    ],
    ['of a token', <SignIn key="e" endpoint="/mcp" challenge="" />],
    ['of an answer', <RootsAnswer key="f" params={{}} onAnswer={ignore} onRefuse={ignore} />],
  ])('%s stays in the page', (_, form) => {
    const { container } = render(form)
    expect(fireEvent.submit(container.querySelector('form') as HTMLFormElement)).toBe(false)
  })
})
