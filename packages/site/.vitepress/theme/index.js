/** The default theme of VitePress, with the style of the front page. */
import DefaultTheme from 'vitepress/theme'
import './front-page.css'

export default DefaultTheme
