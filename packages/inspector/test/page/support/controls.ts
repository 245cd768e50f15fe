/** What a person does with the controls of a page. */
import { fireEvent, screen } from '@testing-library/preact'

type Name = string | RegExp

export const press = (name: Name, index = 0) =>
  fireEvent.click(screen.getAllByRole('button', { name })[index] as HTMLElement)

export const type = (label: Name, value: string) =>
  fireEvent.input(screen.getByLabelText(label), { target: { value } })

/** Chooses the option of a text, by the text itself. */
export function choose(label: Name, text: string): void {
  const select = screen.getByLabelText<HTMLSelectElement>(label)
  const option = [...select.options].find((each) => each.textContent === text)
  if (option === undefined) throw new Error(`No option "${text}"`)
  fireEvent.change(select, { target: { value: option.value } })
}

export const optionsOf = (label: Name) =>
  [...screen.getByLabelText<HTMLSelectElement>(label).options].map(({ textContent }) => textContent)

export const enteredIn = (label: Name) => screen.getByLabelText<HTMLInputElement>(label).value

/** The text of an element without repeated spaces. */
export const textOf = (element: Element | null | undefined) =>
  element?.textContent?.replace(/\s+/g, ' ').trim()

/** The texts of all elements of a role. */
export const textsOf = (role: string) => screen.queryAllByRole(role).map(textOf)

/** The text that describes a control: its description, its hints and its problem. */
export function descriptionOf(control: Element): string | undefined {
  const id = control.getAttribute('aria-describedby')
  return textOf(id === null ? null : document.getElementById(id))
}
