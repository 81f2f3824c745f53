import Theme from 'vitepress/theme'
import './colors.css'

export default Theme
