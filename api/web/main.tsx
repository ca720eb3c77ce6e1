import './style/tokens.css';
import './style/base.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { applyTheme } from './parts/theme.ts';

applyTheme();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
