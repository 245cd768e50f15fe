/** The forms of the page: none of them leaves it when it is submitted. */
import { fireEvent, render } from '@testing-library/preact'
import type { VNode } from 'preact'
import { describe, expect, it } from 'vitest'
import { SubjectForm } from '../../page/elements/subject-form.tsx'
import { SchemaForm } from '../../page/form/schema-form.tsx'
import { PromptForm } from '../../page/try/completed-forms.tsx'
import { EndpointBar } from '../../page/try/endpoint-bar.tsx'
import { SignIn } from '../../page/try/sign-in.tsx'
import { RootsAnswer } from '../../page/try/text-answers.tsx'

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
