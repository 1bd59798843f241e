/** The generator's own theme, with room for the wide tables of the manuals. */
import DefaultTheme from 'vitepress/theme'
// oxlint-disable-next-line import/no-unassigned-import -- this is how the generator takes a style sheet
import './style.css'

// oxlint-disable-next-line import/no-default-export -- the generator wants one
export default DefaultTheme
